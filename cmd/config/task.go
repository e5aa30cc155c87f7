package config

import "net/netip"

// Task is what the commands about the scheduled task of winworker are told.
type Task struct {
	User           string     // at whose logon it starts; "" for the user of this process
	GatewayAddress netip.Addr // install: who may connect through the firewall; zero on loopback
	Purge          bool       // uninstall: the logs and everything else of ours in the profile, too
	JSON           bool       // status: for programs
}

// taskCommands are subcommands of winworker alone.
type taskCommands struct {
	Install struct {
		User           string     `novariable:"" placeholder:"NAME" help:"At whose logon it starts. The current user when empty."`
		GatewayAddress netip.Addr `novariable:"" placeholder:"IP" help:"The one address that may connect; needed with a --listen that is not loopback."`
	} `cmd:"" help:"Start at logon from now on, with the settings given here (Windows)."`
	Uninstall struct {
		User  string `novariable:"" placeholder:"NAME" help:"For whom it was installed. The current user when empty."`
		Purge bool   `novariable:"" help:"Remove logs and data too."`
	} `cmd:"" help:"Undo install (Windows)."`
	Status struct {
		User string `novariable:"" placeholder:"NAME" help:"For whom it was installed. The current user when empty."`
		JSON bool   `novariable:"" help:"Print JSON."`
	} `cmd:"" help:"Tell how the installed worker is; exit status 0 only when it is ready (Windows)."`
}

func (c *taskCommands) of(command Command) Task {
	switch command {
	case Install:
		return Task{User: c.Install.User, GatewayAddress: c.Install.GatewayAddress}
	case Uninstall:
		return Task{User: c.Uninstall.User, Purge: c.Uninstall.Purge}
	case Status:
		return Task{User: c.Status.User, JSON: c.Status.JSON}
	}
	return Task{}
}

// check returns what is wrong with an installation.
func (t *Task) check(c *Common) error {
	loopback, err := Loopback(c.Listen)
	switch address := t.GatewayAddress; {
	case err != nil:
		return c.Bad("listen", "%w", err)
	case loopback && address.IsValid():
		return c.Bad("gateway-address", "is of no use: nothing but this machine reaches %s; give --listen an address that the gateway can reach", c.Listen)
	case !loopback && !address.IsValid():
		return c.Bad("gateway-address", "is needed: the firewall lets that address alone connect to %s", c.Listen)
	case address.IsValid() && (address.IsUnspecified() || address.Zone() != ""):
		return c.Bad("gateway-address", "must be the address of one machine")
	}
	return nil
}
