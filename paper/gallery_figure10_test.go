package paper

import (
	"encoding/json"
	"math"
	"path/filepath"
	"testing"
)

// checkBenchmarkRemarks compares the words on Figure 10 with its curves.
func checkBenchmarkRemarks(t *testing.T, c committed) {
	t.Helper()
	var drawn Report
	if err := json.Unmarshal(readFile(t, filepath.Join(c.folder, "figure-10.json")), &drawn); err != nil {
		t.Fatal(err)
	}
	if len(drawn.Methods) != 7 {
		t.Errorf("the figure has %d methods, want seven", len(drawn.Methods))
	}
	checkSeeds(t, c.folder, "nll", "MAP on CIFAR-10", "node-BNN on CIFAR-10", 0, 1)
	checkSeeds(t, c.folder, "nll", "node-BNN on CIFAR-10", "MAP on CIFAR-10", 3, 4, 5)
	checkScaledLead(t, c.folder)
	levels := map[string]map[string]CurveReport{}
	var others []map[string]CurveReport
	for _, method := range drawn.Methods {
		if levels[method.Name] = method.Levels; method.Name != "MC dropout" {
			others = append(others, method.Levels)
		}
	}
	node, dropout, adaptive := levels["node-BNN"], levels["MC dropout"], levels["ASAM"]
	checkBelow(t, "error of MAP", levels["MAP"][Error].Mean, node[Error].Mean)
	for _, other := range others {
		for _, name := range []string{NLL, Error} {
			checkBelow(t, name+" of MC dropout", dropout[name].Mean[3:], other[name].Mean[3:])
			checkBelow(t, "clean "+name, other[name].Mean[:1], dropout[name].Mean[:1])
		}
	}
	checkBelow(t, "NLL of ASAM", adaptive[NLL].Mean[:5], node[NLL].Mean[:5])
	checkBelow(t, "error of ASAM", adaptive[Error].Mean, node[Error].Mean)
	checkSpread(t, c.folder)
	errors := map[string]float64{}
	for _, card := range c.cards {
		errors[card.method] = card.Training.Error
	}
	closeTo(t, "ratio of the training errors", errors["node-BNN"]/errors["MAP"], 2, 0.25)
}

// checkScaledLead requires that with a temperature for each the node-BNN has a lower NLL than MAP in
// every seed at level 5, and in not every seed at another.
func checkScaledLead(t *testing.T, folder string) {
	t.Helper()
	node := runsOfCells(t, folder, "node-BNN on CIFAR-10", "nll_t")
	for level := range 6 {
		ahead := true
		for seed, ordinary := range runsOfCells(t, folder, "MAP on CIFAR-10", "nll_t") {
			ahead = ahead && node[seed][level] < ordinary[level]
		}
		if ahead != (level == 5) {
			t.Errorf("whether every seed of the node-BNN has a lower scaled NLL than MAP at level %d is %t", level, ahead)
		}
	}
}

// checkSpread requires that the seeds of ASAM are further apart than those of other methods.
func checkSpread(t *testing.T, folder string) {
	t.Helper()
	spread := func(method string) float64 {
		runs := runsOfCells(t, folder, method+" on CIFAR-10", "nll")
		return math.Abs(runs[0][5] - runs[1][5])
	}
	for _, method := range []string{"node-BNN", "SAM", "SWAG", "MC dropout", "DAMP"} {
		if spread(method) >= spread("ASAM") {
			t.Errorf("at level 5 the seeds of %s differ by %g, those of ASAM by %g", method, spread(method), spread("ASAM"))
		}
	}
}
