package viz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestTableText(t *testing.T) {
	table := Table{Header: []string{"method", "0"}, Rows: [][]string{{"M16", "0.301"},
		{"M16", "-0.5 ± 0.25"}, {"10.5", "10.5"}}}
	got := testkit.Must(table.As("txt"))(t)
	want := "  method            0\n" +
		"  M16            .301\n" +
		"  M16       -.5 ± .25\n" +
		"  10.5           10.5\n"
	if got != want {
		t.Errorf("text is\n%swant\n%s", got, want)
	}
}

// The columns of a terminal stay in line under a decomposed letter.
func TestTableOfCombiningLetters(t *testing.T) {
	texts := make([]string, 2)
	for i, name := range []string{"caf\u00e9", "cafe\u0301"} {
		table := Table{Header: []string{"class", name}, Rows: [][]string{{name, "1.0"}}, Labels: 1}
		texts[i] = strings.ReplaceAll(testkit.Must(table.As("txt"))(t), name, "cafe")
	}
	if texts[0] != texts[1] {
		t.Errorf("composed\n%sand decomposed\n%s", texts[0], texts[1])
	}
}

func TestTableHTML(t *testing.T) {
	table := Table{Header: []string{"", "level", "0"}, Rows: [][]string{{"NLL", "<M16>", "0.301"},
		{"NLL", "M32", "0.287"}}, Labels: 2}
	got := testkit.Must(table.As("html"))(t)
	for _, want := range []string{"&lt;M16&gt;", ">0.301</td>", "text-align:right", ">level</th>"} {
		if !strings.Contains(got, want) {
			t.Errorf("HTML lacks %q:\n%s", want, got)
		}
	}
	if count := strings.Count(got, "NLL"); count != 1 {
		t.Errorf("HTML has the repeated label %d times, want once", count)
	}
}

// The formats escape what they would read otherwise, and set cells in bold type.
func TestTableFormats(t *testing.T) {
	table := Table{
		Header: []string{"a_b", "NLL", "error %"}, Labels: 1, Caption: "2 seeds",
		Rows: [][]string{{"SAM | x", "0.5 ± 0.1", "1,000"}}, Strong: [][]bool{{false, true, false}},
	}
	for _, test := range []struct {
		format, want string
	}{
		{"csv", "a_b,NLL,error %\nSAM | x,0.5 ± 0.1,\"1,000\"\n"},
		{"md", "| a_b | NLL | error % |\n|:--|--:|--:|\n| SAM \\| x | " +
			"**0.5 ± 0.1** | 1,000 |\n\n2 seeds\n"},
		{
			"tex",
			"\\begin{tabular}{lrr}\n\\toprule\na\\_b & NLL & error \\% " +
				"\\\\\n\\midrule\n" +
				"SAM \\textbar{} x & \\textbf{0.5 $\\pm$ 0.1} & 1,000 " +
				"\\\\\n\\bottomrule\n\\multicolumn{3}{l}{\\footnotesize 2 seeds} \\\\\n" +
				"\\end{tabular}\n",
		},
	} {
		if got, err := table.As(test.format); err != nil || got != test.want {
			t.Errorf("%s is %q (%v), want %q", test.format, got, err, test.want)
		}
	}
	table.Rows, table.Strong = append(table.Rows, []string{"too short"}), nil
	for _, format := range []string{"csv", "md", "tex"} {
		_, err := table.As(format)
		testkit.Error(t, "row 1 of the table has 1 cells", err, "row 1 of the table has 1 cells")
	}
}

// The foot stands below the table, in LaTeX in rows that its width can hold.
func TestTableFoot(t *testing.T) {
	long := strings.Repeat("nine more ", 9) // 90 letters with the last space
	table := Table{Header: []string{"a", "b"}, Rows: [][]string{{"c", "1"}}, Caption: "2 seeds",
		Foot: []string{"† " + long + "(the end)", "x & y"}}
	for format, want := range map[string]string{
		"txt": "  2 seeds\n  † " + long + "(the end)\n  x & y\n",
		"md":  "\n2 seeds\n\n† " + long + "(the end)\n\nx & y\n",
		"csv": "a,b\nc,1\n",
		"tex": "\\bottomrule\n\\multicolumn{2}{l}{\\footnotesize 2 seeds} \\\\\n" +
			"\\multicolumn{2}{l}{\\footnotesize $^\\dagger$ " +
			strings.TrimSuffix(long, " more ") + "} \\\\\n" +
			"\\multicolumn{2}{l}{\\footnotesize more (the\u00a0end)} \\\\\n" +
			"\\multicolumn{2}{l}{\\footnotesize x \\& y} \\\\\n\\end{tabular}\n",
		"html": "2 seeds<br>† " + long + "(the end)<br>x &amp; y</caption>",
	} {
		if text := testkit.Must(table.As(format))(t); !strings.Contains(text, want) ||
			format == "csv" && text != want {
			t.Errorf("%s is\n%s\nwithout\n%s", format, text, want)
		}
	}
}

// A label is text everywhere: no formula of a spreadsheet, no control character in LaTeX, no
// element in Markdown. Numbers stay numbers.
func TestLabelsAreText(t *testing.T) {
	table := Table{Header: []string{"run", "NLL", "d"}, Labels: 1, Rows: [][]string{
		{"@SUM(1+1)", "-0.5", "-0.1 ± 0.2"}, {"=1+1", "+1", "-"}, {"a\x1b[31m|<b>\n", "-Inf", "-x"},
	}}
	for format, wanted := range map[string][]string{
		"csv": {"\n'@SUM(1+1),-0.5,-0.1 ± 0.2\n'=1+1,+1,-\n",
			",-Inf,'-x\n"},
		"tex": {`a [31m\textbar{}\textless{}b\textgreater{}  &`},
		"md":  {`\|&lt;b>`},
	} {
		text, err := table.As(format)
		for _, want := range wanted {
			if err != nil || !strings.Contains(text, want) {
				t.Errorf("%s: %q, %v, want %q in it", format, text, err, want)
			}
		}
	}
}

// awkwardTable has every printable character of ASCII, the letters that latexEscape knows, and
// labels that LaTeX could take for arguments.
func awkwardTable() Table {
	ascii := ""
	for c := ' '; c <= '~'; c++ {
		ascii += string(c)
	}
	return Table{
		Header: []string{"metric_1", "method", "0", "5 %"}, Labels: 2,
		Caption: "1 seed, 100 %\nof # & {",
		Rows: [][]string{
			{"[NLL]", ascii, "-0.318 ± 0.041", "1,000"},
			{"[NLL]", "± × − · ≤ ≥ ≈ ∞ → √ ² µ α β γ δ ε η θ κ λ μ ρ σ τ φ χ ψ ω Δ Σ Φ Ω é " +
				"“quoted” – —", "-.5", "-"},
			{"*", "two\nlines", "", "NaN"},
		},
		Strong: [][]bool{{false, true, true, false}, {true, true, false, false},
			{false, false, false, false}},
	}
}

// A LaTeX table has balanced braces and environments, all columns in each row, and no character
// with a meaning to LaTeX that came from a cell.
func TestLaTeXIsWellFormed(t *testing.T) {
	table := awkwardTable()
	text := testkit.Must(table.As("tex"))(t)
	body := text
	if strings.Count(body, `\begin{tabular}{llrr}`) != 1 ||
		!strings.HasSuffix(body, "\\end{tabular}\n") {
		t.Errorf("not one tabular after its caption:\n%s", text)
	}
	rows := 0
	command := regexp.MustCompile(`\\[A-Za-z]+|\\[^A-Za-z]|\$[^$]*\$`)
	for line := range strings.Lines(body) {
		bare := command.ReplaceAllString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), `\\`),
			"")
		if strings.Count(bare, "{") != strings.Count(bare, "}") ||
			strings.ContainsAny(bare, `\$%#_^~<>|"`) {
			t.Errorf("unbalanced braces or a character that isn't escaped: %s", line)
		}
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
			t.Errorf("an argument of the line before: %s", line)
		}
		if isFoot := strings.HasPrefix(line, `\multicolumn`); strings.HasSuffix(line,
			"\\\\\n") && !isFoot {
			rows++
			if count := strings.Count(bare, "&"); count != len(table.Header)-1 {
				t.Errorf("%d columns, want %d: %s", count+1, len(table.Header), line)
			}
		}
	}
	if rows != 1+len(table.Rows) || strings.Count(body, `\addlinespace`) != 1 ||
		strings.Count(body, `\footnotesize 1 seed, 100 \% of \# \& \{}`) != 1 ||
		!strings.Contains(body, `\textbf{$-$0.318 $\pm$ 0.041}`) {
		t.Errorf("%d rows, want %d, a space between the groups and a minus sign:\n%s", rows,
			1+len(table.Rows), body)
	}
}

// pdflatex typesets the table with every character.
func TestLaTeXCompiles(t *testing.T) {
	compiler, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex here (Debian: apt install texlive-latex-recommended)")
	}
	text := testkit.Must(awkwardTable().As("tex"))(t)
	folder := t.TempDir()
	document := "\\documentclass{article}\n\\usepackage{booktabs, " +
		"graphicx}\n\\begin{document}\n\\begin{table}\n" +
		"\\resizebox{\\textwidth}{!}{\\input{table.tex}}\n\\end{table}\n\\end{document}\n"
	for name, content := range map[string]string{"table.tex": text, "paper.tex": document} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644))
	}
	command := exec.Command(compiler, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	command.Dir = folder
	said, err := command.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(folder, "paper.log"))
	if err != nil || strings.Contains(string(log), "Missing character") ||
		strings.Contains(string(log), "Overfull") {
		t.Errorf("pdflatex: %v\n%s", err, said)
	}
	if pdf, err := os.ReadFile(filepath.Join(folder, "paper.pdf")); err != nil ||
		!strings.HasPrefix(string(pdf), "%PDF") {
		t.Errorf("no paper.pdf: %v", err)
	}
}
