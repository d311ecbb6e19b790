package ipynb

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

const exercise = "# Entropy\n\nCompute it.\n\n```go\nfunc entropy(std float64) float64 {\n" +
	"\t// ## solution\n\treturn 1.42 + math.Log(std)\n\t// ## end\n}\n```\n"

func TestTwins(t *testing.T) {
	source := testkit.Must(Parse("entropy", exercise))(t)
	for _, c := range []struct {
		name string
		make func() (Notebook, error)
		file string
		want []string
	}{
		{"filled", source.Filled, "entropy", []string{"func entropy(std float64) float64 {", "\treturn 1.42 + math.Log(std)", "}"}},
		{"empty", source.Empty, "entropy-exercise", []string{"func entropy(std float64) float64 {", "\t// Your code here.", "}"}},
	} {
		got, err := c.make()
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		if !slices.Equal(got.Cells[1].Lines, c.want) || got.Name != c.file || got.Hash != source.Hash || got.Source != "entropy.md" {
			t.Errorf("%s: got %q in %s from %s, want %q in %s", c.name, got.Cells[1].Lines, got.Name, got.Source, c.want, c.file)
		}
		if got.HasSolutions() {
			t.Errorf("%s: a solution is left", c.name)
		}
	}
	if !source.HasSolutions() {
		t.Error("the source has no solution, want one")
	}
}

func TestSolutionThatIsNotClosed(t *testing.T) {
	source := testkit.Must(Parse("entropy", strings.Replace(exercise, "// ## end", "", 1)))(t)
	const want = `entropy.md:6: a solution that no line "// ## end" closes`
	if _, err := source.Empty(); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want one that says %q", err, want)
	}
}
