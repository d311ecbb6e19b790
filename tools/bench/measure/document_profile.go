package measure

import (
	"fmt"
	"strconv"

	"github.com/nbbnn/workbench/internal/quantity"
)

// profiledOperations is how many operations of a profile the page shows.
const profiledOperations = 6

// profiles is the table of where all cores lose time.
func (r Record) profiles() string {
	var rows [][]string
	for _, p := range r.Profiles {
		total := Total("**all**", p.Operations)
		network := fmt.Sprintf("%s %s %d", p.What, p.Network, p.Width)
		for _, o := range append([]Operation{total}, p.Largest(profiledOperations)...) {
			row := []string{network, o.Name, o.Shape, strconv.Itoa(o.Count), quantity.Seconds(o.One.Wall), quantity.Seconds(o.All.Wall), fmt.Sprintf("**%.2f**", o.SpeedUp())}
			for _, part := range []float64{o.Lost(p.Cores), o.Alone(p.Cores), o.Waiting(p.Cores), o.Slower(p.Cores)} {
				row = append(row, milliseconds(part))
			}
			rows, network = append(rows, row), ""
		}
	}
	text := fmt.Sprintf("What `go run ./tools/bench profile` finds: the step, taken on one core and on %d in turn in one process, and the operations that lose the most\n"+
		"compared with cores that share the work evenly. Alone is lost where one core works and the others have nothing to do, waiting until all cores have\n"+
		"begun and ended, slower because the same work takes longer when all cores are at it; these three add up to what is lost, in milliseconds a step. Cores\ndraw the next step's noise while they wait, so some of the waiting is useful, and less is left to draw outside of the graph.", r.Machine.Cores)
	return table("Where the cores lose time", text,
		[]string{"step", "operation", "output", "times", "1 core", fmt.Sprint(r.Machine.Cores, " cores"), "speed-up", "lost", "alone", "waiting", "slower"}, rows)
}

// milliseconds writes seconds, with a sign, as milliseconds.
func milliseconds(seconds float64) string { return fmt.Sprintf("%.1f", 1e3*seconds) }
