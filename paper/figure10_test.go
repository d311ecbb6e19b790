package paper

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// benchmarkFixture is a result of Figure 10 at the paper's scale, of five seeds, with further
// methods. Every run has the paper's curves of the node-BNN on CIFAR-100; MAP and each further
// method lie 0.01 above the one before, in all metrics; seed s adds s/10000.
func benchmarkFixture(further ...string) *Result {
	figure := figure10.Adjust(func(s *Setup) {
		s.Seeds, s.Ensemble = quantity.FirstSeeds(5), 5
		s.Methods = slices.DeleteFunc(slices.Clone(s.Methods), func(m Method) bool {
			return m.Name != nodeBNN && m.Name != mapName
		})
		for _, row := range []string{cifar10Row, cifar100Row} {
			for _, name := range further {
				s.Methods = append(s.Methods, Method{Name: name, Row: row,
					Change: s.Methods[0].Change})
			}
		}
	})
	result := &Result{evaluated: true, Figure: figure, Scale: Paper, Setup: figure.Runs(Paper)}
	names := append([]string{nodeBNN, mapName}, further...)
	for _, seed := range result.Setup.Seeds {
		for _, method := range result.Setup.Methods {
			shift := 0.01*float64(slices.Index(names, method.Name)) + float64(seed)/10000
			run := RunResult{Run: Run{Method: method.Name, Row: method.Row, Seed: seed},
				Cells: benchmarkCells(shift)}
			run.History = []nbbnn.Epoch{{NLL: 4}, {Epoch: 1, NLL: 0.2, Error: 0.05}}
			if seed == 5 {
				run.Ensemble = benchmarkCells(shift - 0.005)
			}
			result.Runs = append(result.Runs, run)
		}
	}
	return result
}

// benchmarkCells are cells with the paper's curves of the node-BNN, shifted.
func benchmarkCells(shift float64) score.Cells {
	cells := fogCells()
	for level := range cells {
		cells[level].Images = 1000
		for _, p := range published.Figure10 {
			if p.Method != nodeBNN {
				continue
			}
			switch value := p.Mean[level] + shift; p.Metric {
			case NLL:
				cells[level].NLL = value
				cells[level].Temperature, cells[level].ScaledNLL = 1.2, 0.9*value
			case Error:
				cells[level].Error = value
			case ECE:
				cells[level].ECE = value
				cells[level].Bins = binsOf(value)
			}
		}
	}
	return cells
}

// binsOf is one bin of 1,000 images with a calibration error.
func binsOf(ece float64) (bins score.Bins) {
	bins[0] = score.Bin{Count: 1000, Confidence: 1000 * ece}
	return bins
}

// twinOutcomes are the verdicts of ours where some rivals are missing.
func twinOutcomes(missing string) (outcomes []string) {
	for _, row := range []string{cifar10Row, cifar100Row} {
		for _, quantity := range []string{"NLL", "scaled NLL", "error"} {
			outcomes = append(outcomes, "holds: "+row+": node-BNN has a lower "+
				quantity+" than MAP under corruption")
		}
		outcomes = append(outcomes, "holds (exploratory): "+row+": "+lowestOfAll+" (without "+
			missing+")")
	}
	return outcomes
}

// Of the paper's claims only those are asked that have a rival in the figure. Without all of the
// paper's rivals a claim isn't the paper's.
func TestBenchmarkClaims(t *testing.T) {
	const without = " (without cSG-HMC): ours"
	for _, test := range []struct {
		further []string
		missing string   // of all rivals
		want    []string // outcome, text and source
	}{
		{nil, "SWAG, cSG-HMC, ASAM, SAM, MC dropout and DAMP", nil},
		{[]string{swag, asam}, "cSG-HMC, SAM, MC dropout and DAMP", []string{
			"holds: CIFAR-100: node-BNN has the lowest NLL under corruption" + without,
			"holds: CIFAR-100: node-BNN has the lowest error under corruption" + without,
			"holds: CIFAR-100: node-BNN has the lowest ECE under strong corruption" + without,
			"fails: CIFAR-100: node-BNN has a higher ECE on clean images" + without,
			"mixed: CIFAR-10: SWAG has the lowest NLL under corruption" + without,
		}},
		{[]string{swag, csgHMC, asam}, "SAM, MC dropout and DAMP", []string{
			"as the paper: CIFAR-100: node-BNN has the lowest NLL under corruption: paper",
			"as the paper: CIFAR-100: node-BNN has the lowest error under corruption: paper",
			"as the paper: CIFAR-100: node-BNN has the lowest ECE under strong corruption: paper",
			"against the paper: CIFAR-100: node-BNN has a higher ECE on clean images: paper",
			"mixed: CIFAR-10: SWAG has the lowest NLL under corruption: paper",
		}},
	} {
		var got []string
		r := benchmarkFixture(test.further...)
		for i := range r.Runs {
			r.Runs[i].Cells[0].NLL += 0.001 * float64(r.Runs[i].Seed%2)
		}
		for _, v := range r.Verdicts() {
			got = append(got, v.Text()+": "+v.Claim+": "+string(v.Source))
		}
		want := test.want
		for _, outcome := range twinOutcomes(test.missing) {
			want = append(want, outcome+": ours")
		}
		if !slices.Equal(got, want) {
			t.Errorf("with %v: %s\nwant %s", test.further, strings.Join(got, "\n"),
				strings.Join(want, "\n"))
		}
	}
}

// A method that hasn't learnt takes away the verdicts on itself, no others.
func TestUntrainedRivalLeavesTheTwins(t *testing.T) {
	r := benchmarkFixture(swag)
	r.change(swag, func(run *RunResult) { run.Cells[0].NLL, run.Cells[0].Error = 4.7, 0.99 })
	for _, v := range r.Verdicts() {
		if got, want := v.Outcome == NotTrained, !strings.Contains(v.Claim, mapName); got != want {
			t.Errorf("%s: %s", v.Claim, v.Outcome)
		}
	}
}

// Each level and each rival is one effect, from the first level of the claim on.
func TestBenchmarkEffects(t *testing.T) {
	verdicts := benchmarkFixture(swag, asam).Verdicts()
	for i, effects := range []int{10, 10, 6, 2} {
		if got := len(verdicts[i].Effects); got != effects {
			t.Errorf("%s: %d effects, want %d", verdicts[i].Claim, got, effects)
		}
	}
	first := verdicts[0].Effects[0]
	if first.Name != "node-BNN - SWAG, level 1" {
		t.Errorf("the first effect is %s, want that of SWAG at level 1", first.Name)
	}
	testkit.Near(t, "lead over SWAG", first.Mean, -0.02, 1e-12)
}

// Each metric and data set has a panel of the differences to MAP, and in the whole picture one for
// each method and one for its ensembles, with the paper's curves on CIFAR-100 alone.
func TestBenchmarkIsDrawn(t *testing.T) {
	r := benchmarkFixture(swag)
	if figure := testkit.Must(r.Draw())(t); len(figure.Plots()) != 8 {
		t.Errorf("%d panels, want 4 for each data set", len(figure.Plots()))
	}
	figure := testkit.Must(allPanels(r))(t)
	if len(figure.Plots()) != 48 {
		t.Fatalf("%d panels, want 3 for the runs and 3 for the ensembles in 4 metrics on 2 data "+
			"sets", len(figure.Plots()))
	}
	if single, ensembles := figure.Plots()[0].Y, figure.Plots()[1].Y; single.Min != ensembles.Min ||
		single.Max != ensembles.Max {
		t.Errorf("ensembles are drawn from %g to %g, the rest from %g to %g", ensembles.Min,
			ensembles.Max, single.Min, single.Max)
	}
	without := benchmarkFixture(swag)
	without.Runs[2].Run.Run = testkit.Must(nbbnn.Open("no runs", nbbnn.Config{}))(t)
	without.Runs[2].Cells[1].Temperature = 0
	if figure = testkit.Must(without.Draw())(t); len(figure.Plots()) != 6 {
		t.Errorf("%d panels where a run has no temperature, want 3 for each data set",
			len(figure.Plots()))
	}
	alone := onlyMethods(r, swag)
	if figure = testkit.Must(alone.Draw())(t); len(figure.Plots()) != 16 {
		t.Errorf("%d panels without MAP, want the levels", len(figure.Plots()))
	}
	all := withEnsembles(r)
	if got, want := all.methodNames(), []string{nodeBNN, "ens node-BNN", mapName, "ens MAP", swag,
		"ens SWAG"}; !slices.Equal(got, want) {
		t.Errorf("the curves are %v, want %v", got, want)
	}
	for row, want := range map[string]bool{cifar10Row: false, cifar100Row: true} {
		curves := all.row(row).levelCurves(NLL)
		if got := curves[0].Paper != nil; got != want {
			t.Errorf("the paper's node-BNN is drawn in row %s: %t, want %t", row, got, want)
		}
		testkit.Near(t, "the ensemble at level 0", curves[1].Mean[0], 0.744+0.0005-0.005, 1e-12)
	}
	table, err := firstTable(r)
	if err != nil || len(table.Rows) == 0 || table.Rows[0][0] != "CIFAR-10 NLL" {
		t.Errorf("the table begins with %v (%v), want the NLL on CIFAR-10", table.Rows, err)
	}
}

// Ensembles have disjoint seeds, all of which the set-up has.
func TestMembers(t *testing.T) {
	setup := Setup{Ensemble: 5, Seeds: quantity.FirstSeeds(25)}
	if got, want := memberSeeds(setup, 10), []uint64{6, 7, 8, 9, 10}; !slices.Equal(got, want) {
		t.Errorf("seed 10 ends the ensemble of %v, want %v", got, want)
	}
	for _, seed := range []uint64{0, 1, 9, 30} {
		if got := memberSeeds(setup, seed); got != nil {
			t.Errorf("seed %d ends the ensemble of %v, want none", seed, got)
		}
	}
	setup.Seeds = []uint64{1, 2, 4, 5}
	if got := memberSeeds(setup, 5); got != nil {
		t.Errorf("without seed 3 there's the ensemble of %v, want none", got)
	}
}

// At the smoke scale the benchmarks are one set of runs, of which the sweep has trained the first.
func TestBenchmarksShareTheirRuns(t *testing.T) {
	names := runNames(figure10, Smoke)
	for _, figure := range []Figure{figure11, figure13} {
		if !slices.Equal(runNames(figure, Smoke), names) {
			t.Errorf("at the smoke scale figure %d has other runs than figure 10", figure.Number)
		}
	}
	if !slices.Contains(runNames(figure06, Smoke), names[0]) {
		t.Errorf("figure 6 doesn't have run %s, the first node-BNN of figure 10", names[0])
	}
	for _, number := range []int{14, 15} {
		if figure, err := ByNumber(number); err != nil || figure.Number != number-4 {
			t.Errorf("figure %d is figure %d (%v), want %d", number, figure.Number, err, number-4)
		}
	}
}

// twoRows is a tiny benchmark of the node-BNN and another method on two data sets.
func twoRows(seeds int, other string) Figure {
	return tiny(figure10, seeds).Adjust(func(s *Setup) {
		s.Config.Data.Validation, s.Evaluation.Suite, s.Evaluation.Samples = 0, "contrast", 2
		methods := slices.DeleteFunc(slices.Clone(s.Methods), func(m Method) bool {
			return m.Name != nodeBNN && m.Name != other
		})
		s.Methods = nil
		for i, row := range []string{"one", "two"} {
			for _, method := range methods {
				s.Methods = append(s.Methods, method.inRow(row, func(config *nbbnn.Config) {
					config.Data.Seed = uint64(i)
				}))
			}
		}
	})
}

// A benchmark of two data sets is made from end to end, and nothing is computed twice.
func TestBenchmarkIsMade(t *testing.T) {
	figure := twoRows(2, mapName)
	updates := 0
	options := Options{Runs: t.TempDir(), Out: t.TempDir(), Progress: func(nbbnn.Update) {
		updates++
	}}
	result, files, err := Make(t.Context(), figure, Smoke, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Runs) != 8 || len(result.Runs[3].Ensemble) != 0 ||
		len(result.Runs[7].Ensemble) != 6 {
		t.Errorf("%d runs, the last with %d cells of its ensemble, want 8 and 6", len(result.Runs),
			len(result.Runs[7].Ensemble))
	}
	if got := result.Runs[4].Ensemble[0].Samples; got != 4 {
		t.Errorf("the ensemble of node-BNNs has %d samples, want 2 of each", got)
	}
	checkBenchmarkFiles(t, files)
	checkBenchmarkCosts(t, result, files)
	updates = 0
	if _, _, err := Make(t.Context(), figure, Smoke, options); err != nil || updates != 0 {
		t.Errorf("the second time there are %d updates, %v, want none", updates, err)
	}
	checkBenchmarkExport(t, result)
	checkEnsemblesOfPlan(t, figure, options)
}

// checkBenchmarkFiles checks the table and the report of the two rows.
func checkBenchmarkFiles(t *testing.T, files []string) {
	t.Helper()
	var report Report
	testkit.NoError(t, json.Unmarshal(readFile(t, files[2]), &report))
	at := slices.IndexFunc(report.Lines, func(l line) bool {
		return l.What == "two NLL" && l.Curve == "ens node-BNN"
	})
	if entropies := 4; len(report.Lines) != 2*4*len(reported)+entropies || at < 0 ||
		!slices.Equal(report.Lines[at].Seeds, []uint64{2}) {
		t.Errorf("the report has %d lines, that of an ensemble at %d", len(report.Lines), at)
	}
}

// checkBenchmarkCosts checks the cost of an ensemble, and that there's a picture of all panels.
func checkBenchmarkCosts(t *testing.T, result *Result, files []string) {
	t.Helper()
	all := withEnsembles(result)
	ensemble, run := all.row("two").of("ens node-BNN")[0].Cost, all.row("two").of(nodeBNN)[0].Cost
	if ensemble.PredictionPasses != 4 || ensemble.Parameters != 2*run.Parameters ||
		ensemble.TrainingPasses != 2*run.TrainingPasses {
		t.Errorf("the ensemble costs %+v, want twice %+v", ensemble, run)
	}
	twin := all.row("two").of(mapName)[0].Cost
	config := result.Runs[0].Config().WithDefaults()
	latents := 2 * config.Posterior.Components * latentsOf(config)
	if run.Parameters != twin.Parameters+latents || twin.PredictionPasses != 1 ||
		twin.TrainingSeconds <= 0 {
		t.Errorf("a node-BNN costs %+v and MAP %+v, want %d parameters more and one pass of MAP",
			run, twin, latents)
	}
	table, err := costTable(result)
	if err != nil || len(table.Rows) != 8 || table.Rows[5][0] != "two ens node-BNN" {
		t.Errorf("the table of costs is %q (%v), want 8 rows", table.Rows, err)
	}
	if len(files) != 4 || !strings.HasSuffix(files[3], "figure-10-all.png") {
		t.Errorf("files are %q, want a fourth, figure-10-all.png", files)
	}
}

// checkBenchmarkExport checks that the pages take rows of other data, and methods of one sample
// next to those of several.
func checkBenchmarkExport(t *testing.T, result *Result) {
	t.Helper()
	folder := t.TempDir()
	testkit.Must(export(result, filepath.Join(folder, "figure-10-smoke")))(t)
	if _, err := Gallery(folder); err != nil {
		t.Error(err)
	}
}

// checkEnsemblesOfPlan checks that a plan knows which ensembles are there. The part that can be
// drawn names the seed whose ensemble isn't.
func checkEnsemblesOfPlan(t *testing.T, figure Figure, options Options) {
	t.Helper()
	ensembles, err := filepath.Glob(filepath.Join(options.Runs, "ensemble-*"))
	if err != nil || len(ensembles) != 4 {
		t.Errorf("%d ensembles (%v), want one for each method and row", len(ensembles), err)
	}
	plan, err := figure.Plan(Smoke, options)
	if err != nil || plan.Missing() || len(plan.Methods) != 2 {
		t.Errorf("plan is %+v (%v), want nothing left to do", plan, err)
	}
	testkit.NoError(t, os.RemoveAll(ensembles[0]))
	if plan, err = figure.Plan(Smoke, options); err != nil || plan.Measured != 7 {
		t.Errorf("without an ensemble %d runs are measured (%v), want 7", plan.Measured, err)
	}
	part, err := partOf(figure, Smoke, options.Runs)
	if text := strings.Join(part.leftOut, "; "); err != nil ||
		strings.Count(text, "seed 2: evaluated, what it shares with other runs isn't") != 1 {
		t.Errorf("left out are %q (%v), want the last seed of the ensemble that isn't there", text,
			err)
	}
}

// Every method trains with the rate and the momentum that it has elsewhere, at every scale.
func TestBenchmarkMethodsHaveTheirRates(t *testing.T) {
	for _, figure := range []Figure{figure10, figure11, figure13} {
		for _, scale := range []Scale{Smoke, Desk, Paper} {
			setup := figure.Runs(scale)
			rates := map[baseline.Name]nbbnn.Training{}
			for _, method := range setup.Methods {
				config := setup.config(method, 1).WithDefaults()
				rates[methods.Of(config.Method, config.Settings())] = config.Training
			}
			ordinary, chain := rates[baseline.MAP], rates[baseline.CSGHMC]
			if ratio := chain.LearningRate / ordinary.LearningRate; math.Abs(ratio-5) > 1e-9 ||
				chain.Momentum != 0.1 || ordinary.Momentum != 0.9 {
				t.Errorf("figure %d, %s: cSG-HMC has %g times the rate of MAP, and the momenta "+
					"are %g and %g: want 5, 0.1 and 0.9",
					figure.Number, scale, ratio, chain.Momentum, ordinary.Momentum)
			}
		}
	}
}
