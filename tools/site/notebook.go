package main

import (
	_ "embed" // of programs
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"regexp"
	"strings"

	"github.com/wyatt915/treeblood"

	"github.com/nbbnn/workbench/tools/notebook/ipynb"
)

// cell is a cell of a notebook file with its outputs.
type cell struct {
	Kind     string `json:"cell_type"`
	Source   ipynb.Text
	Metadata struct{ Jupyter map[string]bool }
	Outputs  []struct {
		Text     ipynb.Text
		Data     map[string]ipynb.Text
		Metadata map[string]map[string]int
	}
}

var (
	//go:embed curve/curve.html
	curveHTML string
	//go:embed micro/micro.html
	microHTML string
)

// programs puts what learns in the page at its mark.
var programs = strings.NewReplacer("<!-- the site has five networks here -->", curveHTML,
	"<!-- the site has the network by hand here -->", microHTML)

// notebook returns a notebook as a document of Markdown, whose code, outputs and formulas are HTML.
func (s *site) notebook(text []byte) ([]byte, error) {
	var file struct{ Cells []cell }
	if err := json.Unmarshal(text, &file); err != nil {
		return nil, err
	}
	var document strings.Builder
	heading := ""
	for i, cell := range file.Cells {
		if cell.Kind != "code" {
			if found := headings.FindAllStringSubmatch(string(cell.Source), -1); found != nil {
				heading = found[len(found)-1][1]
			}
			document.WriteString(programs.Replace(formulas(string(cell.Source))) + "\n\n")
		} else if code, err := s.code(cell, i, heading); err != nil {
			return nil, err
		} else {
			document.WriteString(code)
		}
	}
	return []byte(document.String()), nil
}

var headings = regexp.MustCompile(`(?m)^#+ (.+)$`)

// describe returns a picture's description: its section and the cell's finding.
func (c cell) describe(heading string) string {
	for _, output := range c.Outputs {
		for line := range strings.SplitSeq(string(output.Text), "\n") {
			if finding, found := strings.CutPrefix(line, "✓ "); found {
				return heading + ": " + finding
			}
		}
	}
	return heading
}

// code returns a cell of code with its outputs as HTML, and writes its pictures. Progress of
// trainings is left out. Answers to the reader's questions are folded, and nobody has failed an
// exercise yet.
func (s *site) code(c cell, number int, heading string) (string, error) {
	shown := "<pre><code>" + html.EscapeString(string(c.Source)) + "</code></pre>\n\n"
	if c.Metadata.Jupyter["source_hidden"] {
		shown = "<details><summary>Code</summary>\n\n" + shown + "</details>\n\n"
	}
	begin, end := `<div class="outputs">`, "</div>"
	if strings.Contains(string(c.Source), "lab.Answer(") {
		begin, end = `<details class="outputs"><summary>Guess, then look</summary>`, "</details>"
	}
	shown += begin + "\n\n"
	for i, output := range c.Outputs {
		if output.Text != "" {
			shown += `<pre class="output">` + html.EscapeString(string(output.Text)) + "</pre>\n\n"
		}
		if table := string(output.Data["text/html"]); !strings.Contains(table, "nbbnn-training") {
			shown += strings.Replace(table, "✗ not yet: why, and a hint", "a hint", 1) + "\n\n"
		}
		if encoded := output.Data["image/png"]; encoded != "" {
			name := fmt.Sprintf("%s-%d-%d.png", strings.TrimSuffix(s.source, ".ipynb"), number, i)
			// line breaks are ignored
			picture, err := base64.StdEncoding.DecodeString(string(encoded))
			if err != nil {
				return "", err
			}
			if name, err = s.putPicture(name, picture); err != nil {
				return "", err
			}
			width := output.Metadata["image/png"]["width"]
			shown += fmt.Sprintf(`<a href="%[1]s" class="%[4]s"><img src="%[1]s" width="%[2]d" `+
				`loading="lazy" alt="%[3]s"></a>`+"\n\n", relative(s.pages[s.source], name),
				width, html.EscapeString(c.describe(heading)), reach(width))
		}
	}
	return shown + end + "\n\n", nil
}

var formula = regexp.MustCompile(`\$\$[^$]+\$\$|\$[^$]+\$`)

// formulas replaces the formulas of a text by MathML, each in one line.
func formulas(text string) string {
	return formula.ReplaceAllStringFunc(text, func(tex string) string {
		render := treeblood.InlineStyle
		if strings.HasPrefix(tex, "$$") {
			render = treeblood.DisplayStyle
		}
		math, err := render(strings.Trim(tex, "$"), nil)
		if err != nil {
			return html.EscapeString(tex)
		}
		return strings.Join(strings.Fields(math), " ")
	})
}
