package measure

import (
	"math"
	"testing"
	"time"

	"github.com/nbbnn/workbench/internal/purego/executor"
)

func TestLossesAddUp(t *testing.T) {
	o := Operation{One: OperationTime{Wall: 8}, All: OperationTime{Wall: 5, Parallel: 4, CoreTime: 9}}
	const cores = 3
	for _, c := range []struct {
		what      string
		got, want float64
	}{
		{"speed-up", o.SpeedUp(), 1.6},
		{"lost", o.Lost(cores), 5 - 8./3},
		{"alone", o.Alone(cores), 2. / 3}, // one second in which two cores of three do nothing
		{"waiting", o.Waiting(cores), 1},  // 12 seconds of three cores, 9 of them worked
		{"slower", o.Slower(cores), 2. / 3},
		{"sum of the losses", o.Alone(cores) + o.Waiting(cores) + o.Slower(cores), o.Lost(cores)},
	} {
		if math.Abs(c.got-c.want) > 1e-12 {
			t.Errorf("%s is %g, want %g", c.what, c.got, c.want)
		}
	}
}

func TestLargestLossesComeFirst(t *testing.T) {
	p := Profile{Cores: 2}
	for i, wall := range []float64{3, 9, 5, 7} {
		p.Operations = append(p.Operations, Operation{Name: string(rune('a' + i)), Count: 1, One: OperationTime{Wall: 2}, All: OperationTime{Wall: wall}})
	}
	got := p.Largest(2)
	if len(got) != 3 || got[0].Name != "b" || got[1].Name != "d" || got[2].Count != 2 || got[2].All.Wall != 8 {
		t.Errorf("the largest losses are %+v, want b, d and the other two together", got)
	}
	p.Operations = append(p.Operations, Operation{Name: outsideGraph, One: OperationTime{Wall: 1}, All: OperationTime{Wall: 1}})
	got = p.Largest(2)
	if len(got) != 4 || got[2].Name != outsideGraph || got[3].All.Wall != 8 {
		t.Errorf("the largest losses are %+v, want b, d, what is outside of the graph, and the other two together", got)
	}
	p.Operations = got
	if again := p.Largest(2); len(again) != 4 || again[3] != got[3] {
		t.Errorf("the largest of %+v are %+v, want the same", got, again)
	}
}

func TestProfilerAddsUpAStep(t *testing.T) {
	begun := time.Unix(0, 0)
	p := NewProfiler()
	for _, cores := range []int{1, 2} {
		executions := []executor.Execution{
			{Name: "sum", Shape: "3", Begun: begun.Add(time.Second), Wall: time.Second},
			{Name: "sum", Shape: "3", Begun: begun.Add(3 * time.Second), Wall: 2 * time.Second, InParallel: time.Second, CoreTime: time.Second},
		}
		p.enter(cores, 10*time.Second, executions)
	}
	profile := p.Profile(2)
	if profile.Steps != 1 || profile.OneSeconds.Median != 10 || len(profile.Operations) != 3 {
		t.Fatalf("the profile is %+v, want one step of 10 s and three operations", profile)
	}
	for _, o := range profile.Operations {
		want := map[string]OperationTime{"sum": {3, 1, 1}, betweenOperations: {Wall: 1}, outsideGraph: {Wall: 6}}[o.Name]
		if o.All != want || o.One != want {
			t.Errorf("%s takes %+v on one core and %+v on two, want %+v", o.Name, o.One, o.All, want)
		}
	}
	if total := Total("all", profile.Operations); total.All.Wall != 10 {
		t.Errorf("the operations take %g s together, want the 10 of the step", total.All.Wall)
	}
}
