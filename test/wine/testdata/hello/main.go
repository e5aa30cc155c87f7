// Program hello writes its second argument into the file that the first names.
package main

import (
	"fmt"
	"os"
	"runtime"
)

func main() {
	fmt.Println(runtime.GOOS, runtime.GOARCH, os.Args[2])
	if err := os.WriteFile(os.Args[1], []byte(os.Args[2]), 0o600); err != nil {
		panic(err)
	}
}
