//go:build !amd64

package kernel

// InstructionSet is the micro-kernels of one instruction set. There are none for this architecture.
type InstructionSet struct {
	Name string
}

// Available returns no set: there are none for this architecture.
func Available() []InstructionSet { return nil }
