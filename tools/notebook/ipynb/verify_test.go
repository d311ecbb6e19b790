package ipynb

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

const picture = `[{"output_type": "display_data", "metadata": {}, "data": {"image/png": "aGVsbG8="}}]`

// executed returns the small notebook as a file in which the code cells have run with the given
// outputs.
func executed(t *testing.T, outputs string) string {
	t.Helper()
	data := testkit.Must(Encode(mustParse(t, smallSource)))(t)
	run := strings.ReplaceAll(string(data), `"execution_count": null`, `"execution_count": 1`)
	return strings.ReplaceAll(run, `"outputs": []`, `"outputs": `+outputs)
}

func TestVerify(t *testing.T) {
	good := executed(t, picture)
	for _, test := range []struct{ name, file, want string }{
		{"fresh", good, ""},
		{"no notebook", "{", "is not a notebook"},
		{"not run", strings.Replace(good, `"execution_count": 1`, `"execution_count": null`, 1),
			"cell 3: was not run"},
		{"other source", strings.Replace(good, `"source_sha256": "`, `"source_sha256": "0`, 1),
			"is older than small.md"},
		{"changed cell", strings.Replace(good, "%noautoget", "%autoget", 1), "cell 3: differs"},
		{"no picture", executed(t, "[]"), "cell 5: shows no picture"},
		{"failed", executed(t, `[{"output_type": "error"}]`), "cell 3: failed"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Verify(mustParse(t, smallSource), []byte(test.file))
			if test.want == "" && err != nil {
				t.Errorf("got error %v, want none", err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

// TestNotebooks reviews every notebook of the project and sees that its outputs are those of its
// present source, and that the page on notebooks lists it.
func TestNotebooks(t *testing.T) {
	sources, err := filepath.Glob("../../../notebooks/*.md")
	if err != nil || len(sources) == 0 {
		t.Fatalf("got %d sources of notebooks, error %v, want at least one", len(sources), err)
	}
	page := testkit.Must(os.ReadFile("../../../docs/notebooks.md"))(t)
	for _, path := range sources {
		name := strings.TrimSuffix(filepath.Base(path), ".md")
		t.Run(name, func(t *testing.T) {
			source := testkit.Must(os.ReadFile(path))(t)
			parsed := testkit.Must(Parse(name, string(source)))(t)
			testkit.NoError(t, Review(parsed))
			if !strings.Contains(string(page), "(../notebooks/"+name+".md)") {
				t.Errorf("docs/notebooks.md doesn't list %s", name)
			}
			data := testkit.Must(os.ReadFile(strings.TrimSuffix(path, ".md") + ".ipynb"))(t)
			testkit.NoError(t, Verify(parsed, data))
		})
	}
}

var scripted = regexp.MustCompile(`(?s)onclick="[^"]*"|<script>.*</script>`)

// The shipped notebooks have the cells that were written, panels, guesses and answers with the
// scripts of today, and no hint that is seen before an attempt.
func TestShippedNotebooks(t *testing.T) {
	move := string(testkit.Must(os.ReadFile("../../../lab/frames.js"))(t))
	scripts := map[string]string{"data-frames=": "<script>" + move + "</script>",
		`class="nbbnn-guess"`: "", `class="nbbnn-answer"`: ""} // those of the first notebook
	for _, path := range testkit.Must(filepath.Glob("../../../notebooks/*.ipynb"))(t) {
		data := testkit.Must(os.ReadFile(path))(t)
		if !IsWritten(data) {
			t.Errorf("%s has other cells than those that were written", path)
		}
		var saved struct {
			Cells []struct {
				Outputs []struct {
					Text Text
					Data map[string]Text
				}
			}
		}
		testkit.NoError(t, json.Unmarshal(data, &saved))
		for number, cell := range saved.Cells {
			for _, output := range cell.Outputs {
				page := string(output.Data["text/html"])
				for element, script := range scripts {
					if !strings.Contains(page, element) {
						continue
					}
					found := scripted.FindString(page)
					if script == "" {
						scripts[element] = found
					} else if found != script {
						t.Errorf("%s: cell %d has an older script of %s", path, number, element)
					}
				}
				if strings.Contains(string(output.Text), "Hint: ") {
					t.Errorf("%s: cell %d shows a hint that isn't folded", path, number)
				}
			}
		}
	}
}
