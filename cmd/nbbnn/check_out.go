package main

import (
	"fmt"

	"github.com/nbbnn/workbench/internal/files"
)

// checkOut refuses a folder that the results of a command can't be written into, before the work
// that makes them. It leaves nothing behind.
func checkOut(command, folder string) error {
	if err := files.CheckWritable(folder); err != nil {
		return fmt.Errorf("nbbnn %s: no results can be written into %s: %w: make the folder writable, or choose another one with --out",
			command, folder, err)
	}
	return nil
}
