//go:build !amd64

package kernel

// Set is the micro-kernels of one instruction set. There are none for this architecture.
type Set struct {
	Name string
}

// Available returns no set: there are none for this architecture.
func Available() []Set { return nil }
