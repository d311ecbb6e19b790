package viz

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// awkwardTable has every printable character of ASCII, the letters that latexEscape knows, and
// labels that LaTeX could take for arguments.
func awkwardTable() Table {
	ascii := ""
	for c := ' '; c <= '~'; c++ {
		ascii += string(c)
	}
	return Table{
		Header: []string{"metric_1", "method", "0", "5 %"}, Labels: 2, Caption: "1 seed, 100 %\nof # & {",
		Rows: [][]string{
			{"[NLL]", ascii, "-0.318 ± 0.041", "1,000"},
			{"[NLL]", "± × − · ≤ ≥ ≈ ∞ → √ ² µ α β γ δ ε η θ κ λ μ ρ σ τ φ χ ψ ω Δ Σ Φ Ω é “quoted” – —", "-.5", "-"},
			{"*", "two\nlines", "", "NaN"},
		},
		Strong: [][]bool{{false, true, true, false}, {true, true, false, false}, {false, false, false, false}},
	}
}

// A LaTeX table has balanced braces and environments, all columns in each row, and no character
// with a meaning to LaTeX that came from a cell.
func TestLaTeXIsWellFormed(t *testing.T) {
	table := awkwardTable()
	text, err := table.LaTeX()
	if err != nil {
		t.Fatal(err)
	}
	comment, body, _ := strings.Cut(text, "\n")
	if comment != "% 1 seed, 100 % of # & {" || strings.Count(body, `\begin{tabular}{llrr}`) != 1 || !strings.HasSuffix(body, "\\end{tabular}\n") {
		t.Errorf("not one tabular after its caption:\n%s", text)
	}
	rows := 0
	command := regexp.MustCompile(`\\[A-Za-z]+|\\[^A-Za-z]|\$[^$]*\$`)
	for line := range strings.Lines(body) {
		bare := command.ReplaceAllString(strings.TrimSuffix(strings.TrimSuffix(line, "\n"), `\\`), "")
		if strings.Count(bare, "{") != strings.Count(bare, "}") || strings.ContainsAny(bare, `\$%#_^~<>|"`) {
			t.Errorf("unbalanced braces or a character that isn't escaped: %s", line)
		}
		if strings.HasPrefix(line, "[") || strings.HasPrefix(line, "*") {
			t.Errorf("an argument of the line before: %s", line)
		}
		if strings.HasSuffix(line, "\\\\\n") {
			rows++
			if count := strings.Count(bare, "&"); count != len(table.Header)-1 {
				t.Errorf("%d columns, want %d: %s", count+1, len(table.Header), line)
			}
		}
	}
	if rows != 1+len(table.Rows) || strings.Count(body, `\addlinespace`) != 1 || !strings.Contains(body, `\textbf{$-$0.318 $\pm$ 0.041}`) {
		t.Errorf("%d rows, want %d, a space between the groups and a minus sign:\n%s", rows, 1+len(table.Rows), body)
	}
}

// pdflatex typesets the table with every character.
func TestLaTeXCompiles(t *testing.T) {
	compiler, err := exec.LookPath("pdflatex")
	if err != nil {
		t.Skip("no pdflatex here (Debian: apt install texlive-latex-recommended)")
	}
	text, err := awkwardTable().LaTeX()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	document := "\\documentclass{article}\n\\usepackage{booktabs, graphicx}\n\\begin{document}\n\\begin{table}\n" +
		"\\resizebox{\\textwidth}{!}{\\input{table.tex}}\n\\end{table}\n\\end{document}\n"
	for name, content := range map[string]string{"table.tex": text, "paper.tex": document} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command(compiler, "-interaction=nonstopmode", "-halt-on-error", "paper.tex")
	command.Dir = folder
	said, err := command.CombinedOutput()
	log, _ := os.ReadFile(filepath.Join(folder, "paper.log"))
	if err != nil || strings.Contains(string(log), "Missing character") || strings.Contains(string(log), "Overfull") {
		t.Errorf("pdflatex: %v\n%s", err, said)
	}
	if pdf, err := os.ReadFile(filepath.Join(folder, "paper.pdf")); err != nil || !strings.HasPrefix(string(pdf), "%PDF") {
		t.Errorf("no paper.pdf: %v", err)
	}
}
