package paper

import "fmt"

// unwritten is the error of a result that can't be written into a directory; flag is what chooses it on the command line.
func unwritten(directory, flag string, err error) error {
	return fmt.Errorf("paper: no results can be written into %s: %w: make the directory writable, or choose another one (%s)", directory, err, flag)
}
