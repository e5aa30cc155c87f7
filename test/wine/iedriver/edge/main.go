// Command edge stands in for msedge.exe: a browser that shows no window.
package main

import (
	"os"
	"os/signal"
)

func main() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, os.Interrupt)
	<-ended
}
