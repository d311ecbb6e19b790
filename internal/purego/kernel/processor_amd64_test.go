package kernel

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The signatures are those that processors of these kinds report.
func TestProcessorsThatHalveVectors(t *testing.T) {
	const intel = 'G' | 'e'<<8 | 'n'<<16 | 'u'<<24
	for name, c := range map[string]struct {
		processor
		family uint32
		halves bool
	}{
		// never asked: it has no AVX-512
		"EPYC Milan, Zen 3":      {processor{amd, 0x00a00f11}, 25, true},
		"EPYC Genoa, Zen 4":      {processor{amd, 0x00a10f11}, 25, true},
		"Ryzen 7040, Zen 4":      {processor{amd, 0x00a70f41}, 25, true},
		"EPYC Turin, Zen 5":      {processor{amd, 0x00b00f21}, 26, false},
		"Xeon, Sapphire Rapids":  {processor{intel, 0x000806f8}, 6, false},
		"Genoa of another maker": {processor{intel, 0x00a10f11}, 25, false},
	} {
		if family, halves := c.processor.family(), c.halvesVectors(); family != c.family ||
			halves != c.halves {
			t.Errorf("%s: family %d, halves vectors: %v; want %d, %v", name, family, halves,
				c.family, c.halves)
		}
	}
}

// CPUID says what Linux says about the same processor.
func TestThisProcessorsFamily(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	found := regexp.MustCompile(`(?m)^cpu family\s*: (\d+)$`).FindSubmatch(text)
	if found == nil {
		t.Skip("no family in /proc/cpuinfo to compare with:", err)
	}
	want := testkit.Must(strconv.ParseUint(string(found[1]), 10, 32))(t)
	if got := thisProcessor().family(); uint64(got) != want {
		t.Errorf("family %d, want %d", got, want)
	}
}
