package lab

import (
	"strings"
	"testing"
)

func TestRecorded(t *testing.T) {
	record, err := Recorded("figure-03-quick")
	if err != nil {
		t.Fatal(err)
	}
	const want = "holds: M32 - M16, mean of levels 1 to 5: -0.250 nats [-0.280, -0.220], 5 seeds"
	if record.Verdict() != want || record.Finding != "Wider noise lowers the NLL" || record.width != 1247 {
		t.Errorf("the record says %q, %q, a picture of %d, want %q", record.Finding, record.Verdict(), record.width, want)
	}
	if _, err := Recorded("figure-99"); err == nil || !strings.Contains(err.Error(), "run the cell in a folder of the workbench") {
		t.Errorf("a record that isn't there: %v", err)
	}
}
