package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCorruptionSpeedsBecomeATable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "corruptions.json")
	text := `{"machine": "M", "go": "go1", "peer": "P", "rows": [{"corruption": "fog", "size": 32, "ours_images_per_second": 200, "reference_images_per_second": 40, "ratio": 5}]}`
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	speeds, err := ReadCorruptionSpeeds(path)
	if err != nil {
		t.Fatal(err)
	}
	page := speeds.Document()
	for _, want := range []string{"| fog | 32 | 200 | 40 | 5.0 |", "reference: P."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q:\n%s", want, page)
		}
	}
	for name, broken := range map[string]string{"empty": "{}", "another": `{"rows": 3}`} {
		if err := os.WriteFile(path, []byte(broken), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadCorruptionSpeeds(path); err == nil || !strings.Contains(err.Error(), "tools/bench/corruptions writes such files") {
			t.Errorf("%s file: %v, want an error with the cure", name, err)
		}
	}
}
