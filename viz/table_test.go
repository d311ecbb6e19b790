package viz

import (
	"math"
	"strings"
	"testing"
)

func TestMeanStd(t *testing.T) {
	for _, test := range []struct {
		mean, std       float64
		seeds, decimals int
		want            string
	}{
		{0.4471, 0.0123, 5, 3, "0.447 ± 0.012"},
		{81.34, 0.26, 2, 1, "81.3 ± 0.3"},
		{0.4471, math.NaN(), 1, 3, "0.447"},
		{0.4471, 0, 0, 2, "0.45"},
	} {
		if got := MeanStd(test.mean, test.std, test.seeds, test.decimals); got != test.want {
			t.Errorf("MeanStd(%g, %g, %d, %d) is %q, want %q", test.mean, test.std, test.seeds, test.decimals, got, test.want)
		}
	}
}

func TestTableText(t *testing.T) {
	table := Table{Header: []string{"method", "0"}, Rows: [][]string{{"M16", "0.301"}, {"M16", "-0.5 ± 0.25"}, {"10.5", "10.5"}}}
	got, err := table.Text()
	if err != nil {
		t.Fatal(err)
	}
	want := "  method            0\n" +
		"  M16            .301\n" +
		"  M16       -.5 ± .25\n" +
		"  10.5           10.5\n"
	if got != want {
		t.Errorf("text is\n%swant\n%s", got, want)
	}
}

func TestTableHTML(t *testing.T) {
	table := Table{Header: []string{"", "level", "0"}, Rows: [][]string{{"NLL", "<M16>", "0.301"}, {"NLL", "M32", "0.287"}}, Labels: 2}
	got, err := table.HTML()
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"&lt;M16&gt;", ">0.301</td>", "text-align:right", ">level</th>"} {
		if !strings.Contains(got, want) {
			t.Errorf("HTML lacks %q:\n%s", want, got)
		}
	}
	if count := strings.Count(got, "NLL"); count != 1 {
		t.Errorf("HTML has the repeated label %d times, want once", count)
	}
}

func TestTablesThatCannotBeSet(t *testing.T) {
	for _, test := range []struct {
		name  string
		table Table
		want  string
	}{
		{"no header", Table{}, "0 columns"},
		{"ragged", Table{Header: []string{"a", "b"}, Rows: [][]string{{"1", "2"}, {"1"}}}, "row 1 of the table has 1 cells, want 2"},
		{"labels", Table{Header: []string{"a"}, Labels: 2}, "1 columns with 2 labels"},
	} {
		_, err := test.table.Text()
		checkError(t, test.name, nil, err, test.want)
		_, err = test.table.HTML()
		checkError(t, test.name, nil, err, test.want)
	}
}
