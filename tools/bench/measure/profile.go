package measure

import (
	"cmp"
	"slices"

	"github.com/nbbnn/workbench/internal/machine"
)

// Profile says where the time of a step goes, on one core and on all, and why all of them aren't
// that many times as fast.
type Profile struct {
	What string `json:"what"` // "train", "evaluate"
	Workload
	Steps      int         `json:"steps"`       // timed of each
	Cores      int         `json:"cores"`       // all of them
	OneSeconds Spread      `json:"one_seconds"` // of a step on one core
	AllSeconds Spread      `json:"all_seconds"` // of a step on all
	Operations []Operation `json:"operations"`  // those with the largest losses first

	Engine  string          `json:"engine"`
	Machine machine.Machine `json:"machine"`
	Commit  string          `json:"commit"`
}

// Operation is an operation of the graph with outputs of one shape, or other work of a step.
type Operation struct {
	Name  string        `json:"name"`
	Shape string        `json:"shape,omitempty"` // of its output, such as "128x32x32x24"
	Count int           `json:"count"`           // executions a step
	One   OperationTime `json:"one"`             // on one core
	All   OperationTime `json:"all"`             // on all cores
}

// OperationTime is the time of all executions of an operation in a step, in seconds, as medians
// over the steps.
type OperationTime struct {
	Wall     float64 `json:"wall"`
	Parallel float64 `json:"parallel"`  // part of Wall in which a kernel had its work divided among the cores
	CoreTime float64 `json:"core_time"` // that the cores, taken together, worked in this part
}

// SpeedUp is how many times as fast all cores are as one.
func (o Operation) SpeedUp() float64 { return perSecond(o.One.Wall, o.All.Wall) }

// The seconds of a step that an operation loses compared with cores that share its work evenly, and
// what they consist of.

// Lost is all of it.
func (o Operation) Lost(cores int) float64 { return o.All.Wall - o.One.Wall/float64(cores) }

// Alone is lost because one core works and the others have nothing to do.
func (o Operation) Alone(cores int) float64 {
	return (o.All.Wall - o.All.Parallel) * float64(cores-1) / float64(cores)
}

// Waiting is lost where work was divided: until all cores have begun, and until the last one ends.
func (o Operation) Waiting(cores int) float64 { return o.All.Parallel - o.All.CoreTime/float64(cores) }

// Slower is lost because the same work takes longer when all cores are at it, which share memory
// and cache.
func (o Operation) Slower(cores int) float64 {
	return (o.All.CoreTime + o.All.Wall - o.All.Parallel - o.One.Wall) / float64(cores)
}

// Total adds up operations.
func Total(name string, operations []Operation) Operation {
	total := Operation{Name: name}
	for _, o := range operations {
		total.Count += o.Count
		total.One, total.All = total.One.plus(o.One), total.All.plus(o.All)
	}
	return total
}

func (t OperationTime) plus(other OperationTime) OperationTime {
	return OperationTime{t.Wall + other.Wall, t.Parallel + other.Parallel, t.CoreTime + other.CoreTime}
}

// sorted returns the operations with the largest losses first.
func (p Profile) sorted() []Operation {
	return slices.SortedStableFunc(slices.Values(p.Operations), func(a, b Operation) int {
		return cmp.Compare(b.Lost(p.Cores), a.Lost(p.Cores))
	})
}

// theOthers names the sum of the operations that a profile doesn't show.
const theOthers = "the others"

// Largest returns the count operations with the largest losses, what a step does outside of its
// operations, and the sum of the rest.
func (p Profile) Largest(count int) []Operation {
	summed := slices.ContainsFunc(p.Operations, func(o Operation) bool { return o.Name == theOthers })
	if summed || len(p.Operations) <= count+1 {
		return p.Operations
	}
	operations := p.sorted()
	shown, rest := operations[:count:count], []Operation{}
	for _, o := range operations[count:] {
		if o.isOutside() {
			shown = append(shown, o)
		} else {
			rest = append(rest, o)
		}
	}
	return append(shown, Total(theOthers, rest))
}

// isOutside reports whether this is work besides the operations of the graph.
func (o Operation) isOutside() bool { return o.Name == betweenOperations || o.Name == outsideGraph }
