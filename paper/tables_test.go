package paper

import (
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The published All-CNN-C (METHOD.md 1.2 and 1.3): kernels, channels, strides and sides of the
// outputs of its layers, and its counts.
func TestTable1(t *testing.T) {
	table := testkit.Must(PaperTable(t.Context(), 1, Desk, Options{}))(t)
	want := []string{
		"3 x 3 | 3 to 96 | 1 | 32 x 32", "3 x 3 | 96 to 96 | 1 | 32 x 32", "3 x 3 | 96 to 96 | 2 | 16 x 16",
		"3 x 3 | 96 to 192 | 1 | 16 x 16", "3 x 3 | 192 to 192 | 1 | 16 x 16", "3 x 3 | 192 to 192 | 2 | 8 x 8",
		"3 x 3 | 192 to 192 | 1 | 8 x 8", "1 x 1 | 192 to 10 | 1 | 8 x 8",
	}
	var got []string
	for _, row := range table.Rows[:len(table.Rows)-1] {
		got = append(got, strings.Join(row[1:5], " | "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the layers are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if sums := strings.Join(table.Rows[len(want)][5:], " "); sums != "1332682 1066 278814720" {
		t.Errorf("parameters, latents and multiply-adds are %s, want 1332682 1066 278814720", sums)
	}
	_, err := PaperTable(t.Context(), 3, Desk, Options{})
	testkit.Error(t, t.Name(), err, "the paper has no table 3: choose 1")
}

// Table 2 has an estimate where no run is, the mean of the cards where there are some, and the
// paper's seconds.
func TestTable2(t *testing.T) {
	options := Options{Runs: t.TempDir()}
	table := testkit.Must(PaperTable(t.Context(), 2, Smoke, options))(t)
	if methods := 1 + len(baselines); len(table.Rows) != 3*methods {
		t.Errorf("%d rows, want %d: at the smoke scale each benchmark has one data set", len(table.Rows), 3*methods)
	}
	if row := table.Rows[0]; row[2] != "0" || !strings.HasPrefix(row[3], "about ") || row[4] != "-" {
		t.Errorf("the first row is %q, want an estimate", row)
	}
	setup := Figure10.Runs(Desk)
	for _, method := range setup.Methods {
		config := setup.config(method, 1)
		timed := slices.Contains([]string{nodeBNN, swag, asam}, method.Name)
		if got := published.Table2[config.Network.Name+" "+config.Data.Name][method.Name]; (got > 0) != timed {
			t.Errorf("the paper has %d s for %s", got, method.title())
		}
	}
	if got := published.Table2["resnet18 cifar100"][nodeBNN]; got != 18093 {
		t.Errorf("ResNet18 on CIFAR-100 took %d s, want 18093", got)
	}
}
