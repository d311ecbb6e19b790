package measure

import (
	"os"
	"strings"
	"testing"
)

const kernels = "../../../internal/purego/kernel"

func TestLoopsAreCounted(t *testing.T) {
	got := countLoops(`TEXT ·convolutionTile1NEON(SB), NOSPLIT, $0-96
	MOVD channels+32(FP), R0
channel_four:
	FMOVQ (R1), F0
	WORD  $0x4f881200 // fmla v0.4s, v16.4s, v8.s[0]
	VFMLS V1.S4, V2.S4, V3.S4
	WORD  $0x6e23dc41 // fmul v1.4s, v2.4s, v3.4s

channel_inner:
	SUB  $1, R0
	CBNZ R0, channel_four
	RET
`)
	if want := (Loop{"convolutionTile1", "NEON", 6, 2}); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// What the page and docs/install.md say about the inner loops is true of the committed assembly.
func TestMultiplyAddsBoundNEON(t *testing.T) {
	loops, err := ReadLoops(kernels)
	if err != nil {
		t.Fatal(err)
	}
	counted := 0
	for _, l := range loops {
		if l.Set != "NEON" || l.isTransform() {
			continue
		}
		counted++
		if l.Instructions >= 2*l.MultiplyAdds {
			t.Errorf("%s: %d instructions for %d multiply-adds: half of them or fewer", l.Kernel, l.Instructions, l.MultiplyAdds)
		}
	}
	if counted != 6 || len(loops) != 3*(6+5)+2 {
		t.Errorf("%d loops, %d of NEON's products; want 35 and 6", len(loops), counted)
	}
}

func TestPageHasTheCountsOfTheCommittedAssembly(t *testing.T) {
	loops, err := ReadLoops(kernels)
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../../../docs/performance.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(page), InstructionDocument(loops)) {
		t.Error("docs/performance.md has other counts than the assembly: run make performance")
	}
}

func TestReadLoopsRefusesADirectoryWithoutAssembly(t *testing.T) {
	if _, err := ReadLoops(t.TempDir()); err == nil || !strings.Contains(err.Error(), "micro_arm64.s") {
		t.Errorf("got %v, want an error that names the file", err)
	}
}
