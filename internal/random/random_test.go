package random

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestStreamsAreIndependent(t *testing.T) {
	seen := map[[4]uint64]string{}
	for _, name := range streams(t) {
		for seed := range uint64(20) {
			for step := range uint64(50) {
				words := Words(seed, name, step)
				if other, ok := seen[words]; ok {
					t.Fatalf("stream %s, seed %d, step %d repeats %s", name, seed, step, other)
				}
				seen[words] = name
			}
		}
	}
}

// Results depend on the names, so this list may only grow.
func TestNamesNeverChange(t *testing.T) {
	want := []string{
		"init", "order", "augmentation", "nodes", "update", "evaluation", "weights", "entropy",
		"labels", "implicit",
		"corruption", "frost texture", "principal axes", "renormalisation", "augmix",
		"prediction sets", "test pictures", "chains", "pinwheel", "shapes10", "shapes10 classes",
	}
	got := streams(t)
	slices.Sort(want)
	if slices.Sort(got); !slices.Equal(got, want) {
		t.Errorf("the streams are %q, want %q", got, want)
	}
}

// streams returns the names of all streams, the constants of this package.
func streams(t *testing.T) (names []string) {
	t.Helper()
	file := testkit.Must(parser.ParseFile(token.NewFileSet(), "random.go", nil,
		parser.SkipObjectResolution))(t)
	ast.Inspect(file, func(n ast.Node) bool {
		if literal, is := n.(*ast.BasicLit); is && literal.Kind == token.STRING &&
			!strings.Contains(literal.Value, "/") {
			names = append(names, testkit.Must(strconv.Unquote(literal.Value))(t))
		}
		return true
	})
	return names
}

func TestCountersAreOrdered(t *testing.T) {
	if Words(1, Order, 2, 3) == Words(1, Order, 3, 2) || Words(1, Order) == Words(1, Order, 0) {
		t.Error("counters in another order, or one more of them, must give another stream")
	}
}

// First draws over many steps must be as uniform as draws within one stream: they're what a
// training run uses.
func TestFirstDrawsAreUniform(t *testing.T) {
	const steps, bins = 40000, 40
	counts := [bins]float64{}
	correlation, previous := 0.0, 0.5
	for step := range uint64(steps) {
		u := New(3, Augmentation, step).Float64()
		counts[int(u*bins)]++
		correlation += (u - 0.5) * (previous - 0.5)
		previous = u
	}
	chi2, expected := 0.0, float64(steps)/bins
	for _, count := range counts {
		chi2 += (count - expected) * (count - expected) / expected
	}
	if chi2 > 80 { // 39 degrees of freedom: mean 39, sd 8.8
		t.Errorf("chi-square %.1f over %d bins, want below 80", chi2, bins)
	}
	if r := 12 * correlation / steps; math.Abs(r) > 4/math.Sqrt(steps) {
		t.Errorf("correlation of neighbouring steps %.4f, want within %.4f", r, 4/math.Sqrt(steps))
	}
}

// A name that is a literal elsewhere could be taken twice, which nothing would notice.
func TestNoOtherPackageNamesAStream(t *testing.T) {
	root := filepath.Join("..", "..")
	calls, called := 0, regexp.MustCompile(`\brandom\.(?:New|Words)\([^,]+, ("?)`)
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		for _, call := range called.FindAllStringSubmatch(
			string(testkit.Must(os.ReadFile(path))(t)), -1) {
			calls++
			if call[1] != "" {
				t.Errorf("%s gives a stream a name of its own: use a constant of this package",
					path)
			}
		}
		return nil
	})
	if err != nil || calls < 10 {
		t.Errorf("%d calls found, error %v: want ten calls and more", calls, err)
	}
}

// The first words and permutations of NumPy 2.4's RandomState(1507).
func TestAgreesWithNumPy(t *testing.T) {
	g := NewMersenne(1507)
	for i, want := range []uint32{386097337, 1579846395, 3706970949, 893373958, 3488353626} {
		if got := g.Uint32(); got != want {
			t.Errorf("word %d is %d, want %d", i, got, want)
		}
	}
	g = NewMersenne(1507)
	for _, c := range []struct {
		count int
		want  []int // the beginning
	}{
		{10, []int{8, 7, 1, 0, 3, 4, 2, 6, 5, 9}},
		{7, []int{2, 4, 6, 1, 0, 3, 5}},
		{1000, []int{192, 383, 649, 410, 358, 641}},
		{1, []int{0}},
		{5, []int{4, 1, 3, 0, 2}},
	} {
		if got := g.Permutation(c.count); !slices.Equal(got[:len(c.want)], c.want) {
			t.Errorf("permutation of %d begins with %v, want %v", c.count, got[:len(c.want)],
				c.want)
		}
	}
}
