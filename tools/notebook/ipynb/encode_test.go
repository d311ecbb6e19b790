package ipynb

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestEncodeIsDeterministic(t *testing.T) {
	var files [2][]byte
	for i := range files {
		data := testkit.Must(Encode(mustParse(t, smallSource)))(t)
		files[i] = data
	}
	if !bytes.Equal(files[0], files[1]) {
		t.Errorf("two encodings differ:\n%s\n%s", files[0], files[1])
	}
}

// Jupyter wants identities of at most 64 characters.
func TestEncodeShortensIdentities(t *testing.T) {
	long := mustParse(t, smallSource)
	long.Name = strings.Repeat("a", 80)
	if data := testkit.Must(Encode(long))(t); !strings.Contains(string(data), `"`+
		long.Name[:60]+`-01"`) {
		t.Errorf("no cell has 60 letters of the name:\n%s", data)
	}
}

func TestEncodeFollowsTheFormat(t *testing.T) {
	data := testkit.Must(Encode(mustParse(t, smallSource)))(t)
	var file struct {
		Cells []map[string]any `json:"cells"`
		Major int              `json:"nbformat"`
		Minor int              `json:"nbformat_minor"`
	}
	testkit.NoError(t, json.Unmarshal(data, &file))
	if file.Major != 4 || file.Minor != 5 || len(file.Cells) != 6 {
		t.Errorf("got format %d.%d with %d cells, want 4.5 with 6", file.Major, file.Minor,
			len(file.Cells))
	}
	seen := map[any]bool{}
	for i, cell := range file.Cells {
		_, outputs := cell["outputs"]
		_, count := cell["execution_count"]
		if code := cell["cell_type"] == "code"; outputs != code || count != code {
			t.Errorf("cell %d of type %v: outputs %t, execution count %t, want both for code alone",
				i+1, cell["cell_type"], outputs, count)
		}
		if seen[cell["id"]] {
			t.Errorf("cell %d: the id %v is taken already", i+1, cell["id"])
		}
		seen[cell["id"]] = true
	}
}

func TestEncodeKeepsWhatHTMLEscapes(t *testing.T) {
	data := testkit.Must(Encode(mustParse(t, "a < b && c > d\n")))(t)
	if !strings.Contains(string(data), "a < b && c > d") {
		t.Errorf("the text is escaped: %s", data)
	}
}

func TestSourceLinesReadBothForms(t *testing.T) {
	want := sourceLines{"one", "two"}
	for _, text := range []string{`"one\ntwo"`, `["one\n", "two"]`} {
		var got sourceLines
		if err := json.Unmarshal([]byte(text), &got); err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: got %q, error %v, want %q", text, got, err, want)
		}
	}
}
