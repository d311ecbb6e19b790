//go:build !linux

package kernel

// UseLargePages does nothing: this system chooses the size of pages itself.
func UseLargePages([]float32) {}
