package ipynb

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// output holds the part of a cell's output that Verify reads.
type output struct {
	Kind string                     `json:"output_type"`
	Data map[string]json.RawMessage `json:"data"`
}

// Check returns an error unless data is a notebook file whose cells can be read, and which the
// kernel doesn't rewrite. Cells of formats before 4 aren't looked at.
func Check(data []byte) error {
	var file struct {
		Cells *[]*struct {
			Kind   string      `json:"cell_type"`
			Source sourceLines `json:"source"`
		} `json:"cells"`
		Format int `json:"nbformat"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("it isn't a notebook: %w%s", err, copyCure)
	}
	if file.Format < 1 {
		return errors.New("it isn't a notebook: it has no nbformat" + copyCure)
	}
	if file.Format < 4 {
		return nil
	}
	if file.Cells == nil {
		return errors.New("it isn't a notebook: it has no cells" + copyCure)
	}
	for i, cell := range *file.Cells {
		if cell == nil || cell.Kind == "" {
			return fmt.Errorf("it isn't a notebook: cell %d has no type%s", i+1, copyCure)
		}
		if line, found := rewritten(cell.Source); found && cell.Kind == "code" {
			return fmt.Errorf("cell %d: %s", i+1, rewrittenText(cell.Source[line]))
		}
	}
	return nil
}

// copyCure helps with a damaged file.
const copyCure = ": take it from a copy, or name another file"

// Verify returns an error unless the .ipynb file in data was written from the notebook's present
// source and holds the outputs of a complete run, with a picture under every cell that has to show
// one.
func Verify(n Notebook, data []byte) error {
	var file document
	if err := json.Unmarshal(data, &file); err != nil {
		return fmt.Errorf("notebook: %s.ipynb is not a notebook: %w", n.Name, err)
	}
	if file.Metadata.Workbench.Hash != n.Hash || len(file.Cells) != len(n.Cells) {
		return fmt.Errorf("notebook: %s.ipynb is older than %[1]s.md: run \"make notebooks\"",
			n.Name)
	}
	for i, cell := range n.Cells {
		if err := verifyCell(cell, file.Cells[i]); err != nil {
			return fmt.Errorf("notebook: %s.ipynb: cell %d: %w", n.Name, i+1, err)
		}
	}
	return nil
}

// verifyCell compares a cell of the source with its cell in the file.
func verifyCell(cell Cell, found documentCell) error {
	if !slices.Equal(cell.Lines, found.Source) {
		return fmt.Errorf("differs from the source: run \"make notebooks\"")
	}
	if !cell.Code {
		return nil
	}
	if string(found.Count) == "null" {
		return fmt.Errorf("was not run: run \"make notebooks\"")
	}
	var outputs []output
	if err := json.Unmarshal(found.Outputs, &outputs); err != nil {
		return fmt.Errorf("has unreadable outputs: %w", err)
	}
	if slices.ContainsFunc(outputs, func(o output) bool { return o.Kind == "error" }) {
		return fmt.Errorf("failed when it was run")
	}
	if cell.IsFigure() && !slices.ContainsFunc(outputs, isPicture) {
		return fmt.Errorf("shows no picture")
	}
	return nil
}

// isPicture reports whether an output holds a PNG.
func isPicture(o output) bool {
	_, found := o.Data["image/png"]
	return found
}

// Text is a text that a notebook file holds as one string or as a list of lines with their
// ends.
type Text string

// UnmarshalJSON reads either form.
func (t *Text) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*string)(t)) == nil {
		return nil
	}
	var lines []string
	err := json.Unmarshal(data, &lines)
	*t = Text(strings.Join(lines, ""))
	return err
}

// splitLines is the inverse of joining lines with line ends.
func splitLines(text string) []string { return strings.Split(text, "\n") }
