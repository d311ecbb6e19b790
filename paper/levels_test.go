package paper

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestLevelTable(t *testing.T) {
	result := fixture(1, 3)
	table := result.levelTable(NLL, Error)
	got := testkit.Must(table.Text())(t)
	for _, want := range []string{
		"NLL      M16         .310     .568     .799    1.053    1.490    2.175",
		"± sd        .014     .014     .014     .014     .014     .014",
		"M32         .258     .486     .691     .920    1.280    1.867",
		"Error %  M16           .0",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the table lacks the line %q:\n%s", want, got)
		}
	}
}

func TestMetricErrors(t *testing.T) {
	_, err := fixture(1).LevelSummary("M16", "NL")
	if err == nil || !strings.Contains(err.Error(), `did you mean "NLL"?`) {
		t.Errorf("error is %v, want the nearest name", err)
	}
	_, err = notYetEvaluated(fixture(1)).LevelSummary("M16", NLL)
	if err == nil || !strings.Contains(err.Error(), "Figure.Evaluate") {
		t.Errorf("error is %v, want one that says what is missing", err)
	}
}
