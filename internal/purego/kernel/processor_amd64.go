package kernel

// processor is what the instruction CPUID says about the processor.
type processor struct {
	vendor    uint32 // the first four letters of the maker's name, the first in the lowest byte
	signature uint32 // family, model and stepping
}

// cpuid runs the instruction CPUID and returns two of its four registers.
func cpuid(leaf uint32) (eax, ebx uint32)

// thisProcessor reads the vendor from leaf 0 and the signature from leaf 1.
func thisProcessor() (p processor) {
	_, p.vendor = cpuid(0)
	p.signature, _ = cpuid(1)
	return p
}

// family adds the extended family to the base family, as makers number their families.
func (p processor) family() uint32 {
	const extends = 15
	base, extended := p.signature>>8&15, p.signature>>20&255
	if base == extends {
		return base + extended
	}
	return base
}

const (
	amd        = 'A' | 'u'<<8 | 't'<<16 | 'h'<<24 // of AuthenticAMD
	zen4Family = 25                               // Zen 3's, too, which has no AVX-512
)

// halvesVectors reports whether the processor computes a vector of AVX-512 as two halves, one after
// the other.
func (p processor) halvesVectors() bool { return p.vendor == amd && p.family() == zen4Family }
