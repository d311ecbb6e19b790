package engine

import (
	"debug/elf"
	"fmt"
	"runtime"
)

// machines are the processors that a program can run on, by Go's name.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// checkPluginFile says what is wrong with a plugin's file before the system tries to load it: that
// it's no library, or one for another processor. Only Linux's format is known; elsewhere nothing is
// checked.
func checkPluginFile(path string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("it's no shared library: %w: bring it again, perhaps only a part of it came", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if want, known := machines[runtime.GOARCH]; known && file.Machine != want {
		return fmt.Errorf("it's made for %v, this program for %v: bring the plugin for this machine", file.Machine, want)
	}
	return nil
}
