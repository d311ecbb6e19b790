package ipynb

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json/jsontext"
	"encoding/json/v2"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// document is a notebook file in Jupyter's format 4.5; its fields are in the order of their keys.
type document struct {
	Cells       []documentCell   `json:"cells"`
	Metadata    documentMetadata `json:"metadata"`
	Format      int              `json:"nbformat"`
	FormatMinor int              `json:"nbformat_minor"`
}

// documentCell is a cell of a notebook file; text cells have neither a count nor outputs.
type documentCell struct {
	Kind     string         `json:"cell_type"`
	Count    jsontext.Value `json:"execution_count,omitzero"` // null before the first run
	Identity string         `json:"id"`
	Metadata cellMetadata   `json:"metadata"`
	Outputs  jsontext.Value `json:"outputs,omitzero"`
	Source   sourceLines    `json:"source"`
}

// cellMetadata holds the tags of a cell, how JupyterLab shows it and how nbgrader treats it.
type cellMetadata struct {
	Jupyter  map[string]bool `json:"jupyter,omitempty"`
	Nbgrader *nbgraderCell   `json:"nbgrader,omitempty"`
	Tags     []string        `json:"tags,omitempty"`
}

// documentMetadata names the kernel and the source.
type documentMetadata struct {
	Kernel    map[string]string `json:"kernelspec"`
	Language  map[string]string `json:"language_info"`
	Workbench sourceMetadata    `json:"workbench"`
}

// sourceMetadata names a notebook's source.
type sourceMetadata struct {
	Cells  string `json:"cells_sha256"`  // of the written cells
	Source string `json:"source"`        // file name
	Hash   string `json:"source_sha256"` // hexadecimal
}

// Encode returns the notebook as an .ipynb file without outputs. The same notebook always gives the
// same bytes.
func Encode(n Notebook) ([]byte, error) {
	file := document{Metadata: metadata(n), Format: 4, FormatMinor: 5}
	for i, cell := range n.Cells {
		identity := noIdentity.ReplaceAllLiteralString(n.Name, "-")
		file.Cells = append(file.Cells, encodeCell(fmt.Sprintf("%.60s-%02d", identity, i+1), cell))
	}
	file.Metadata.Workbench.Cells = hashCells(file.Cells)
	data, err := json.Marshal(file, jsontext.WithIndent(" "), json.Deterministic(true))
	if err != nil {
		return nil, fmt.Errorf("notebook: %s: %w", n.Name, err)
	}
	return append(data, '\n'), nil
}

// noIdentity matches what Jupyter doesn't allow in the identity of a cell.
var noIdentity = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)

// IsWritten reports whether Encode wrote the cells of a notebook file, unchanged since.
func IsWritten(data []byte) bool {
	var file struct {
		Cells    []documentCell `json:"cells"`
		Metadata struct {
			Workbench sourceMetadata `json:"workbench"`
		} `json:"metadata"`
	}
	return json.Unmarshal(data, &file) == nil &&
		file.Metadata.Workbench.Cells == hashCells(file.Cells)
}

// hashCells returns the SHA-256 of the kinds and the sources of cells in hexadecimal.
func hashCells(cells []documentCell) string {
	var all strings.Builder
	for _, cell := range cells {
		fmt.Fprintf(&all, "%s %q\n", cell.Kind, strings.Join(cell.Source, "\n"))
	}
	return hashSource(all.String())
}

// encodeCell gives a code cell an empty list of outputs, as the format wants it.
func encodeCell(identity string, cell Cell) documentCell {
	encoded := documentCell{Kind: "markdown", Identity: identity, Source: cell.Lines}
	if cell.Code {
		encoded.Kind = "code"
		encoded.Metadata.Tags, encoded.Metadata.Nbgrader = cell.Tags, cell.grading
		if cell.Folded {
			encoded.Metadata.Jupyter = map[string]bool{"source_hidden": true}
		}
		encoded.Count, encoded.Outputs = jsontext.Value("null"), jsontext.Value("[]")
	}
	return encoded
}

// metadata returns what Jupyter needs to choose the kernel, and the hash of the source.
func metadata(n Notebook) documentMetadata {
	return documentMetadata{
		Kernel: map[string]string{"display_name": "Go (gonb)", "language": "go", "name": "gonb"},
		Language: map[string]string{"name": "go", "file_extension": ".go",
			"mimetype": "text/x-go"},
		Workbench: sourceMetadata{Source: n.Name + ".md", Hash: n.Hash},
	}
}

// hashSource returns the SHA-256 of a source in hexadecimal.
func hashSource(source string) string {
	sum := sha256.Sum256([]byte(source))
	return hex.EncodeToString(sum[:])
}

// sourceLines are the lines of a cell without line ends.
type sourceLines []string

// MarshalJSON writes all lines but the last with their line ends, as notebook files hold them.
func (s sourceLines) MarshalJSON() ([]byte, error) {
	return json.Marshal(slices.Collect(strings.SplitAfterSeq(strings.Join(s, "\n"), "\n")))
}

// UnmarshalJSON reads a cell's source from a list of lines or from one string.
func (s *sourceLines) UnmarshalJSON(data []byte) error {
	var text Text
	if err := json.Unmarshal(data, &text); err != nil {
		return err
	}
	*s = splitLines(string(text))
	return nil
}
