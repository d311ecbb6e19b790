// Command plugin brings XLA's plugin for processors into a folder:
//
//	plugin FOLDER
//
// It's go-xla's own installer, so the plugin is the one that the go-xla of go.mod names, from the
// release page of its author.
package main

import (
	"fmt"
	"os"
	"runtime"

	"github.com/gomlx/go-xla/installer"
)

func main() {
	if err := bring(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plugin:", err)
		os.Exit(1)
	}
}

// bring installs the plugin into the folder go-xla of the only argument.
func bring(arguments []string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("%d arguments: name the folder, and nothing else", len(arguments))
	}
	// go-xla's installer takes a system that it doesn't know for one without a plugin, and says
	// nothing.
	if runtime.GOOS != "linux" {
		return fmt.Errorf("%s isn't Linux, which the image is made of", runtime.GOOS)
	}
	return installer.AutoInstallPlugin("cpu", arguments[0], false, installer.Verbose)
}
