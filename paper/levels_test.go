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
	testkit.Error(t, t.Name(), err, `did you mean "NLL"?`)
	_, err = notYetEvaluated(fixture(1)).LevelSummary("M16", NLL)
	testkit.Error(t, t.Name(), err, "Figure.Evaluate")
}
