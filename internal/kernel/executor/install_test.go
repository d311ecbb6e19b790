//go:build amd64

package executor

import (
	"reflect"
	"strings"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/kernel"
)

func TestParseChoiceSuggestsTheNearest(t *testing.T) {
	for _, test := range []struct {
		value string
		want  Choice
		hint  string // part of the error; empty for none
	}{
		{"", Best, ""}, {"avx2", AVX2, ""}, {"avx512", AVX512, ""}, {"off", Off, ""},
		{"avx1", Off, `did you mean "avx2"?`}, {"fast", Off, "use avx512, avx2 or off"},
	} {
		got, err := ParseChoice(test.value)
		if got != test.want || (err == nil) != (test.hint == "") || err != nil && !strings.Contains(err.Error(), test.hint) {
			t.Errorf("ParseChoice(%q) = %q, %v, want %q and an error with %q", test.value, got, err, test.want, test.hint)
		}
	}
}

func TestChoiceFiltersTheSets(t *testing.T) {
	sets := []kernel.Set{{Name: "AVX-512"}, {Name: "AVX2"}}
	for choice, want := range map[Choice]int{Best: 2, AVX512: 1, AVX2: 1, Off: 0} {
		got := choice.filter(sets)
		if len(got) != want {
			t.Errorf("%q keeps %d sets, want %d", choice, len(got), want)
		}
	}
	for _, choice := range []Choice{Best, AVX2, Off} {
		if choice.whyNone() == "" {
			t.Errorf("%q gives no reason for having no kernels", choice)
		}
	}
}

func TestLayoutOfThisBackendFits(t *testing.T) {
	if err := verifyLayout(backend); err != nil {
		t.Error(err)
	}
}

func TestLayoutNoticesWhatHasChanged(t *testing.T) {
	type ours struct {
		_ string         `field:"name"`
		_ unsafe.Pointer `field:"parent"`
		_ []int          `field:"sizes"`
	}
	for _, theirs := range []any{
		struct {
			name   string
			parent *int
		}{},
		struct {
			name   string
			sizes  []int
			parent *int
		}{},
		struct {
			name   []byte
			parent *int
			sizes  []int
		}{},
		struct {
			name   string
			parent *int
			sizes  []int32
		}{},
		struct {
			title  string
			parent *int
			sizes  []int
		}{},
	} {
		if err := sameBeginning(reflect.TypeOf(theirs), reflect.TypeFor[ours]()); err == nil {
			t.Errorf("%T passes for the beginning of %T", theirs, ours{})
		}
	}
	same := struct {
		name   string
		parent *int
		sizes  []int
		more   bool
	}{}
	if err := sameBeginning(reflect.TypeOf(same), reflect.TypeFor[ours]()); err != nil {
		t.Error(err)
	}
}

func TestFailedCheckLeavesTheStockExecutors(t *testing.T) {
	needKernels(t)
	defer installed.active.Store(true)
	installed.active.Store(false)
	wanted, err := checkResults(backend)
	if err != nil {
		t.Fatal(err)
	}
	wanted[2][1] += 1
	if err := check(backend, wanted); err == nil || !strings.Contains(err.Error(), "output 2 of the check") {
		t.Errorf("check = %v, want a complaint about output 2", err)
	}
	if installed.active.Load() {
		t.Error("the kernels are on after a failed check")
	}
}

func TestInstallAgainGivesTheSame(t *testing.T) {
	needKernels(t)
	again, problem := Install(backend, Best)
	if again != name || problem != whyNotBetter {
		t.Errorf("Install again = %q, %q, want %q, %q", again, problem, name, whyNotBetter)
	}
	if off, why := Install(backend, Off); off != "" || why == "" || installed.active.Load() {
		t.Errorf("Install off = %q, %q, want none, with the reason", off, why)
	}
	installed.active.Store(true)
}

func TestPanicBecomesAnErrorWithTheCure(t *testing.T) {
	broken := attempt(func(call) (*buffer, error) { panic("out of range") })
	_, err := broken.guarded(call{node: &node{operation: compute.OpTypeMul, shape: shapes.Invalid()}})
	if err == nil || !strings.Contains(err.Error(), "out of range") || !strings.Contains(err.Error(), "set NBBNN_KERNELS=off") {
		t.Errorf("got %v, want the panic and the cure", err)
	}
}
