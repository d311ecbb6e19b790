package measure

import (
	"cmp"
	"slices"
	"time"

	"github.com/nbbnn/workbench/internal/purego/executor"
)

// Profiler collects what steps execute, on so many cores after one another.
type Profiler struct {
	names   []operationName // in the order of their first execution
	counts  map[operationName]int
	times   map[operationName]map[int][]OperationTime // by cores, one a step
	seconds map[int][]float64                         // of the steps, by cores
}

type operationName struct{ name, shape string }

// What a step does in addition to the operations of its graph.
const (
	betweenOperations = "between operations"
	outsideGraph      = "outside of the graph: draws, arguments, results"
)

// NewProfiler returns an empty profile.
func NewProfiler() *Profiler {
	return &Profiler{counts: map[operationName]int{}, times: map[operationName]map[int][]OperationTime{}, seconds: map[int][]float64{}}
}

// Step takes a step while so many cores are in use.
func (p *Profiler) Step(cores int, step func() error) error {
	stop := executor.Observe()
	begun := time.Now()
	err := step()
	wall := time.Since(begun)
	executions := stop()
	if err == nil {
		p.enter(cores, wall, executions)
	}
	return err
}

// enter adds up the executions of a step.
func (p *Profiler) enter(cores int, wall time.Duration, executions []executor.Execution) {
	p.seconds[cores] = append(p.seconds[cores], wall.Seconds())
	sums, counts := map[operationName]OperationTime{}, map[operationName]int{}
	var inside time.Duration
	for _, e := range executions {
		name := operationName{e.Name, e.Shape}
		counts[name]++
		sums[name] = sums[name].plus(OperationTime{e.Wall.Seconds(), e.InParallel.Seconds(), e.CoreTime.Seconds()})
		inside += e.Wall
		p.note(name)
	}
	if len(executions) > 0 {
		last := executions[len(executions)-1]
		graph := last.Begun.Add(last.Wall).Sub(executions[0].Begun)
		sums[operationName{name: betweenOperations}] = OperationTime{Wall: (graph - inside).Seconds()}
		sums[operationName{name: outsideGraph}] = OperationTime{Wall: (wall - graph).Seconds()}
		p.note(operationName{name: betweenOperations})
		p.note(operationName{name: outsideGraph})
	}
	for name, sum := range sums {
		p.counts[name] = counts[name]
		p.times[name][cores] = append(p.times[name][cores], sum)
	}
}

// note enters an operation at its first execution.
func (p *Profiler) note(name operationName) {
	if _, known := p.times[name]; !known {
		p.names = append(p.names, name)
		p.times[name] = map[int][]OperationTime{}
	}
}

// Profile holds the profiles on one core and on all.
func (p *Profiler) Profile(cores int) Profile {
	profile := Profile{
		Cores: cores, Steps: len(p.seconds[cores]), OneSeconds: NewSpread(p.seconds[1]), AllSeconds: NewSpread(p.seconds[cores]),
	}
	for _, name := range p.names {
		profile.Operations = append(profile.Operations, Operation{
			Name: name.name, Shape: name.shape, Count: p.counts[name],
			One: medianTime(p.times[name][1]), All: medianTime(p.times[name][cores]),
		})
	}
	profile.Operations = profile.sorted()
	return profile
}

// medianTime is the time of the median step.
func medianTime(times []OperationTime) OperationTime {
	if len(times) == 0 {
		return OperationTime{}
	}
	slices.SortFunc(times, func(a, b OperationTime) int { return cmp.Compare(a.Wall, b.Wall) })
	return times[len(times)/2]
}
