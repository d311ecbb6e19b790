package executor

import (
	"runtime/debug"
	"strings"
	"testing"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestParseChoiceSuggestsTheNearest(t *testing.T) {
	for _, test := range []struct {
		value string
		want  Choice
		hint  string // part of the error; empty for none
	}{
		{"", Best, ""}, {"avx2", AVX2, ""}, {"avx512", AVX512, ""}, {"neon", NEON, ""},
		{"portable", Portable, ""}, {"off", Off, ""},
		{"avx1", Off, `did you mean "avx2"?`},
		{"fast", Off, "use avx512, avx2, neon, portable or off"},
		{"portabel", Off, `did you mean "portable"?`},
	} {
		got, err := ParseChoice(test.value)
		if got != test.want || (err == nil) != (test.hint == "") || err != nil &&
			!strings.Contains(err.Error(), test.hint) {
			t.Errorf("ParseChoice(%q) = %q, %v, want %q and an error with %q", test.value, got, err,
				test.want, test.hint)
		}
	}
}

func TestChoiceFiltersTheSets(t *testing.T) {
	sets := []kernel.InstructionSet{{Name: "AVX-512"}, {Name: "AVX2"}, {Name: "NEON"},
		{Name: kernel.Portable}}
	for choice, want := range map[Choice]int{Best: 4, AVX512: 1, AVX2: 1, NEON: 1, Portable: 1,
		Off: 0} {
		got := choice.filter(sets)
		if (choice == Off || choice == Portable) && choice.IsAssembly() {
			t.Errorf("%q allows assembly", choice)
		}
		if len(got) != want {
			t.Errorf("%q keeps %d sets, want %d", choice, len(got), want)
		}
	}
	for _, choice := range []Choice{AVX512, AVX2, NEON, Off} {
		if choice.whyNone() == "" {
			t.Errorf("%q gives no reason for having no kernels", choice)
		}
	}
}

func TestKernelsNeedTheVersionTheyWereWrittenFor(t *testing.T) {
	linked := func(version string, replace *debug.Module) *debug.BuildInfo {
		return &debug.BuildInfo{
			Deps: []*debug.Module{{Path: "github.com/gomlx/compute", Version: version,
				Replace: replace}}}
	}
	if err := verifyVersion(linked(backendVersion, nil)); err != nil {
		t.Error(err)
	}
	for want, program := range map[string]*debug.BuildInfo{
		"v0.1.99 of it":            linked("v0.1.99", nil),
		"a replacement of it":      linked(backendVersion, &debug.Module{Path: "../compute"}),
		"an unknown version of it": nil,
	} {
		err := verifyVersion(program)
		if cure := "go get github.com/gomlx/compute@" + backendVersion; err == nil ||
			!strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), cure) {
			t.Errorf("got %v, want an error with %q and %q", err, want, cure)
		}
	}
}

func TestFailedCheckLeavesTheStockExecutors(t *testing.T) {
	needKernels(t)
	defer installed.active.Store(true)
	installed.active.Store(false)
	wanted := testkit.Must(checkResults(backend))(t)
	wanted[2][1] += 1
	if err := check(backend, wanted); err == nil ||
		!strings.Contains(err.Error(), "output 2 of the check") {
		t.Errorf("check = %v, want a complaint about output 2", err)
	}
	if installed.active.Load() {
		t.Error("the kernels are on after a failed check")
	}
}

// Install compares small layers of all kinds with the stock executors.
func TestInstallPortableKernelsAnywhere(t *testing.T) {
	defer Install(backend, Best)
	if got, problem := Install(backend, Portable); got != kernel.Portable || problem != "" {
		t.Errorf("Install portable = %q, %q, want %q without a problem", got, problem,
			kernel.Portable)
	}
}

func TestInstallSaysInOneLineWhyABackendFails(t *testing.T) {
	needKernels(t)
	defer Install(backend, Best)
	got, problem := Install(nil, Best)
	if got != "" || !strings.Contains(problem, "the kernels are off") ||
		strings.Contains(problem, "\n") || installed.active.Load() {
		t.Errorf("Install without a backend = %q, %q, want none, with the reason in one line", got,
			problem)
	}
}

func TestPanicBecomesAnErrorWithTheCure(t *testing.T) {
	broken := attempt(func(call) (*buffer, error) { panic("out of range") })
	_, err := broken.guarded(call{node: &node{operation: compute.OpTypeMul,
		shape: shapes.Invalid()}})
	if err == nil || !strings.Contains(err.Error(), "out of range") ||
		!strings.Contains(err.Error(), "set NBBNN_KERNELS=off") {
		t.Errorf("got %v, want the panic and the cure", err)
	}
}
