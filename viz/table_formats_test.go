package viz

import (
	"strings"
	"testing"
)

// The formats escape what they would read otherwise, and set cells in bold type.
func TestTableFormats(t *testing.T) {
	table := Table{
		Header: []string{"a_b", "NLL", "error %"}, Labels: 1, Caption: "2 seeds",
		Rows: [][]string{{"SAM | x", "0.5 ± 0.1", "1,000"}}, Strong: [][]bool{{false, true, false}},
	}
	for _, test := range []struct {
		format string
		text   func() (string, error)
		want   string
	}{
		{"CSV", table.CSV, "a_b,NLL,error %\nSAM | x,0.5 ± 0.1,\"1,000\"\n"},
		{"Markdown", table.Markdown, "| a_b | NLL | error % |\n|:--|--:|--:|\n| SAM \\| x | **0.5 ± 0.1** | 1,000 |\n\n2 seeds\n"},
		{
			"LaTeX", table.LaTeX,
			"% 2 seeds\n\\begin{tabular}{lrr}\n\\toprule\na\\_b & NLL & error \\% \\\\\n\\midrule\n" +
				"SAM \\textbar{} x & \\textbf{0.5 $\\pm$ 0.1} & 1,000 \\\\\n\\bottomrule\n\\end{tabular}\n",
		},
	} {
		if got, err := test.text(); err != nil || got != test.want {
			t.Errorf("%s is %q (%v), want %q", test.format, got, err, test.want)
		}
	}
	table.Rows, table.Strong = append(table.Rows, []string{"too short"}), nil
	for _, text := range []func() (string, error){table.CSV, table.Markdown, table.LaTeX} {
		if _, err := text(); err == nil || !strings.Contains(err.Error(), "row 1 of the table has 1 cells") {
			t.Errorf("error %v, want one on row 1", err)
		}
	}
}

// A label is text everywhere: no formula of a spreadsheet, no control character in LaTeX, no element
// in Markdown. Numbers stay numbers.
func TestLabelsAreText(t *testing.T) {
	table := Table{Header: []string{"run", "NLL", "d"}, Labels: 1, Rows: [][]string{
		{"@SUM(1+1)", "-0.5", "-0.1 ± 0.2"}, {"=1+1", "+1", "-"}, {"a\x1b[31m|<b>\n", "-Inf", "-x"},
	}}
	for name, test := range map[string]struct {
		write func() (string, error)
		want  []string
	}{
		"CSV":      {table.CSV, []string{"\n'@SUM(1+1),-0.5,-0.1 ± 0.2\n'=1+1,+1,-\n", ",-Inf,'-x\n"}},
		"LaTeX":    {table.LaTeX, []string{`a [31m\textbar{}\textless{}b\textgreater{}  &`}},
		"Markdown": {table.Markdown, []string{`\|&lt;b>`}},
	} {
		text, err := test.write()
		for _, want := range test.want {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %q, %v, want %q in it", name, text, err, want)
			}
		}
	}
}
