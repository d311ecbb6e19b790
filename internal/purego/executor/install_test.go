package executor

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unsafe"

	"github.com/gomlx/compute"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"

	"github.com/nbbnn/workbench/internal/purego/kernel"
)

func TestParseChoiceSuggestsTheNearest(t *testing.T) {
	for _, test := range []struct {
		value string
		want  Choice
		hint  string // part of the error; empty for none
	}{
		{"", Best, ""}, {"avx2", AVX2, ""}, {"avx512", AVX512, ""}, {"neon", NEON, ""}, {"portable", Portable, ""}, {"off", Off, ""},
		{"avx1", Off, `did you mean "avx2"?`}, {"fast", Off, "use avx512, avx2, neon, portable or off"}, {"portabel", Off, `did you mean "portable"?`},
	} {
		got, err := ParseChoice(test.value)
		if got != test.want || (err == nil) != (test.hint == "") || err != nil && !strings.Contains(err.Error(), test.hint) {
			t.Errorf("ParseChoice(%q) = %q, %v, want %q and an error with %q", test.value, got, err, test.want, test.hint)
		}
	}
}

func TestChoiceFiltersTheSets(t *testing.T) {
	sets := []kernel.InstructionSet{{Name: "AVX-512"}, {Name: "AVX2"}, {Name: "NEON"}, {Name: kernel.Portable}}
	for choice, want := range map[Choice]int{Best: 4, AVX512: 1, AVX2: 1, NEON: 1, Portable: 1, Off: 0} {
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

func TestLayoutOfThisBackendFits(t *testing.T) {
	if err := verifyLayout(backend); err != nil {
		t.Error(err)
	}
}

func TestProductsOfThisBackendFit(t *testing.T) {
	if err := verifyDots(backend.Builder("products").Main()); err != nil {
		t.Error(err)
	}
	fits := dotData{input: dtypes.Float32, output: dtypes.Float32, batch: 1, layout: transposedDot, rows: smallRows, inner: smallInner, columns: smallColumns}
	if err := fits.isSmall(transposedDot); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*dotData){
		"another number for the layout": func(d *dotData) { d.layout = plainDot },
		"rows and columns exchanged":    func(d *dotData) { d.rows, d.columns = d.columns, d.rows },
		"another batch":                 func(d *dotData) { d.batch = 0 },
		"another type":                  func(d *dotData) { d.input = dtypes.Float64 },
	} {
		changed := fits
		change(&changed)
		if err := changed.isSmall(transposedDot); err == nil || !strings.Contains(err.Error(), "products of matrices have changed") {
			t.Errorf("%s: error %v, want one", name, err)
		}
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
	defer Install(backend, Best)
	again, problem := Install(backend, Best)
	if again != name || problem != whyNotBetter {
		t.Errorf("Install again = %q, %q, want %q, %q", again, problem, name, whyNotBetter)
	}
	if off, why := Install(backend, Off); off != "" || why == "" || installed.active.Load() {
		t.Errorf("Install off = %q, %q, want none, with the reason", off, why)
	}
}

// Install compares small layers of all kinds with the stock executors.
func TestInstallPortableKernelsAnywhere(t *testing.T) {
	defer Install(backend, Best)
	if got, problem := Install(backend, Portable); got != kernel.Portable || problem != "" {
		t.Errorf("Install portable = %q, %q, want %q without a problem", got, problem, kernel.Portable)
	}
}

func TestInstallSurvivesAPanic(t *testing.T) {
	needKernels(t)
	defer Install(backend, Best)
	got, problem := Install(nil, Best)
	if got != "" || !strings.Contains(problem, "the kernels are off") || strings.Contains(problem, "\n") || installed.active.Load() {
		t.Errorf("Install without a backend = %q, %q, want none, with the reason in one line", got, problem)
	}
}

func TestCheckEqualComparesLengths(t *testing.T) {
	if err := checkEqual([]float32{1, 2}, []float32{1, 2, 3}); err == nil || !strings.Contains(err.Error(), "2 values, want 3") {
		t.Errorf("checkEqual of 2 values with 3 = %v, want a complaint about the number", err)
	}
}

// The signatures and types that are reached by linker name can't be compared at run time: they were
// read in this version.
func TestVersionOfTheBackendIsTheOneRead(t *testing.T) {
	const want = "github.com/gomlx/compute v0.1.14"
	modules, err := os.ReadFile(filepath.Join("..", "..", "..", "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if !regexp.MustCompile(`(?m)^\s*(require )?` + regexp.QuoteMeta(want) + `$`).Match(modules) {
		t.Errorf("go.mod does not ask for %s: compare the declarations in backend.go with the new version, then change this test", want)
	}
	if regexp.MustCompile(`(?m)^\s*(replace )?github.com/gomlx/compute\b.*=>`).Match(modules) {
		t.Error("go.mod replaces github.com/gomlx/compute: the declarations in backend.go may not fit")
	}
}

func TestPanicBecomesAnErrorWithTheCure(t *testing.T) {
	broken := attempt(func(call) (*buffer, error) { panic("out of range") })
	_, err := broken.guarded(call{node: &node{operation: compute.OpTypeMul, shape: shapes.Invalid()}})
	if err == nil || !strings.Contains(err.Error(), "out of range") || !strings.Contains(err.Error(), "set NBBNN_KERNELS=off") {
		t.Errorf("got %v, want the panic and the cure", err)
	}
}
