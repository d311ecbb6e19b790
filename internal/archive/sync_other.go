//go:build !linux

package archive

// syncTree forces a folder and all in it to the disk.
func syncTree(folder string) error { return syncEach(folder) }
