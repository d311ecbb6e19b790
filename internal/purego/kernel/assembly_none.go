//go:build !amd64 && !arm64

package kernel

// assemblySets returns no set: there is no assembly for this architecture.
func assemblySets() []InstructionSet { return nil }
