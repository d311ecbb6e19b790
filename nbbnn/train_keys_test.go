package nbbnn

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The Python programs of docs/using.md that read train.jsonl name keys that its lines have.
func TestDocumentedReadersNameKeys(t *testing.T) {
	document := testkit.Must(os.ReadFile("../docs/using.md"))(t)
	run := trainedRun(t, t.TempDir(), tinyConfig())
	history := testkit.Must(os.ReadFile(run.history().path))(t)
	lines := bytes.Split(bytes.TrimSpace(history), []byte("\n"))
	var have map[string]any
	testkit.NoError(t, json.Unmarshal(lines[len(lines)-1], &have))
	programs, keys := 0, regexp.MustCompile(`(?:for key in \(|, |\[|index=|values=)"([a-z_]+)"`)
	for _, program := range regexp.MustCompile("(?s)```python\n(.*?)```").FindAllStringSubmatch(string(document), -1) {
		if !strings.Contains(program[1], "train.jsonl") {
			continue
		}
		programs++
		found := keys.FindAllStringSubmatch(strings.ReplaceAll(program[1], `["run"]`, ""), -1)
		if len(found) < 3 {
			t.Errorf("the program names the keys %v only", found)
		}
		for _, key := range found {
			if _, known := have[key[1]]; !known {
				t.Errorf("the program reads %q, which no line of train.jsonl has", key[1])
			}
		}
	}
	if programs != 2 {
		t.Errorf("%d programs read train.jsonl, want one for TensorBoard and one for pandas", programs)
	}
}
