package config

// WorkerDoctor are the flags of winworker doctor. They have no variables.
type WorkerDoctor struct {
	JSON     bool   `name:"json" novariable:"" help:"Print one JSON object."`
	Fix      bool   `novariable:"" xor:"undo" help:"Mend what belongs to this user, and print the commands for the rest."`
	Undo     string `novariable:"" xor:"undo" placeholder:"FILE" help:"Restore what a --fix changed, from the file that it wrote."`
	SelfTest bool   `novariable:"" help:"Take a browser through a page of its own, and write a report."`
	Report   string `novariable:"" default:"iemesh-report" placeholder:"FOLDER" help:"Where the report of the self-test goes."`
}

// GatewayDoctor are the flags of gateway doctor.
type GatewayDoctor struct {
	JSON bool `name:"json" novariable:"" help:"Print one JSON object."`
}
