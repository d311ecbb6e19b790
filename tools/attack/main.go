// Command attack damages what nbbnn writes, kills its commands and lets its disks fail, and counts
// what is noticed:
//
//	go run ./tools/attack flips --tries 20
//	make attack
//
// Every random choice follows from the seed, which is printed: the same command repeats it. When a
// process is killed also depends on how fast the machine is.
package main

import (
	"context"
	"os"

	"github.com/nbbnn/workbench/internal/commandline"
)

func main() {
	a := &app{out: os.Stdout}
	os.Exit(commandline.Run(context.Background(), rootCommand(a), os.Args[1:], os.Stdout, os.Stderr))
}
