// Package bench holds the timings: what a tool costs beside the same WebDriver
// commands sent by a client that does nothing else, how quickly a gateway starts,
// how little it keeps in memory. Run it with the build tag bench, with nothing
// else on the machine.
package bench
