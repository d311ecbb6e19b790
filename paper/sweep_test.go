package paper

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// sweepFixture is a result of a sweep at the desk with five seeds. The negative log-likelihood is a
// parabola of log2(1 + gamma): on validation and test images its minimum is near 16 with one
// component and 32 with four, under mild and severe corruption at twice that. The error is a tenth
// of it, and temperature scaling halves it. Four components are 0.1 nats better under corruption;
// seed s lies s/1000 above.
func sweepFixture(t *testing.T, figure Figure) *Result {
	t.Helper()
	setup := figure.Runs(Desk)
	result := &Result{evaluated: true, Figure: figure, Scale: Desk, Setup: setup}
	for _, seed := range setup.Seeds {
		for _, method := range setup.Methods {
			config := setup.config(method, seed).WithDefaults()
			run := RunResult{Run: Run{Method: method.Name, Row: method.Row, Seed: seed},
				Cells: fogCells()}
			run.History = []nbbnn.Epoch{{}, {Epoch: 1, NLL: 0.5, Error: 0.05},
				{Epoch: 2, NLL: 0.2, Error: 0.02}}
			clean := 4.0
			if config.Posterior.Components == 4 {
				clean = 5
			}
			nll := func(best float64) float64 {
				away := math.Round(math.Log2(1+config.Objective.Gamma)) - best
				return 1 + away*away/20 + float64(seed)/1000
			}
			cell := score.Cell{NLL: nll(clean), Temperature: 2, ScaledNLL: nll(clean) / 2,
				Error: nll(clean) / 10}
			run.Parts = map[nbbnn.Part]score.Cell{nbbnn.ValidationPart: cell, nbbnn.CleanPart: cell,
				nbbnn.CleanLabels: cell, nbbnn.NoisyLabels: cell}
			for level := range run.Cells {
				run.Cells[level].NLL = nll(clean)
				if level > 0 {
					run.Cells[level].NLL = nll(clean+1) - 0.1*float64(config.Posterior.Components)/4
				}
				run.Cells[level].Temperature, run.Cells[level].ScaledNLL = 2, run.Cells[level].NLL/2
				run.Cells[level].Error = run.Cells[level].NLL / 10
			}
			result.Runs = append(result.Runs, run)
		}
	}
	return result
}

func TestSweepCurves(t *testing.T) {
	r := sweepFixture(t, figure06)
	curves := componentSweep.curves(r, severeSplit)
	if len(curves) != 2 || curves[0].group != "K = 1" || curves[1].group != "K = 4" {
		t.Fatalf("curves are %+v, want those of K = 1 and K = 4", curves)
	}
	c := curves[1]
	if want := []float64{0, 16, 32, 64, 128}; !slices.Equal(c.gamma, want) {
		t.Errorf("gammas of K = 4 are %v, want %v", c.gamma, want)
	}
	if want := []int{3, 3, 3, 3, 3}; !slices.Equal(c.bestOfOthers(nil), want) {
		t.Errorf("the best gammas are at %v, want %v", c.bestOfOthers(nil), want)
	}
	if want := []int{1, 1, 1, 1, 1}; !slices.Equal(c.bestOfOthers(func(place, _ int) bool {
		return place < 2
	}), want) {
		t.Error("a place that isn't allowed is chosen")
	}
	if got := []int{c.nearest(33), c.nearest(1000), c.nearest(7)}; !slices.Equal(got,
		[]int{2, 4, 0}) {
		t.Errorf("the nearest gammas are at %v, want 2, 4 and 0", got)
	}
	testkit.Near(t, "NLL of seed 2 at the best gamma", c.at(c.bestOfOthers(nil))[1], 1.002-0.1,
		1e-12)
	testkit.Near(t, "NLL at gamma 0", c.values[0][0], 1+36.0/20+0.001-0.1, 1e-12)
}

// The other seeds choose gamma: a seed that is lucky at one gamma doesn't choose it for itself.
func TestBestOfOthers(t *testing.T) {
	c := sweepCurve{gamma: []float64{0, 1}, values: [][]float64{{1, 1, 1}, {0.1, 2, 2}}}
	if got, want := c.bestOfOthers(nil), []int{0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("chosen are %v, want %v", got, want)
	}
	c.values[1][0] = -5 // the others' mean, with its own it would choose 1
	if got, want := c.bestOfOthers(nil), []int{0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("chosen are %v, want %v", got, want)
	}
	c = sweepCurve{gamma: []float64{0, 1}, values: [][]float64{{1}, {2}}}
	if got := c.bestOfOthers(nil); got[0] != 0 {
		t.Errorf("a single seed chooses %v, want its own best", got)
	}
	// the mean of all seeds is below 1
	c = sweepCurve{gamma: []float64{0, 1}, values: [][]float64{{1, 1, 1}, {-5, 2, 2}}}
	if got, want := c.bestOfOthers(nil), []int{0, 1, 1}; !slices.Equal(got, want) {
		t.Errorf("chosen are %v, want %v", got, want)
	}
}

// A network that is best without entropy makes the claims on the best gamma fail: gamma 0 and the
// ends of the sweep are compared with, and aren't chosen.
func TestBestGammaMayLose(t *testing.T) {
	for _, test := range []struct {
		figure Figure
		claim  string
		best   float64 // gamma of the least NLL on every split
	}{
		{figure06, chosenHelps, 0},
		{figure06, "the best γ beats γ = 0 on every split", 0},
		{figure09, labelRow(0.4) + ": " + noiseNeedsEntropy, 0},
		{figure09, labelRow(0.4) + ": " + tooMuchEntropy, 160},
	} {
		r := sweepFixture(t, test.figure)
		r.Figure.claims = slices.DeleteFunc(slices.Clone(r.Figure.claims), func(c claim) bool {
			return c.about(r)+c.Text != test.claim
		})
		for i, run := range r.Runs {
			away := math.Log1p(r.Setup.config(r.Setup.Methods[i%len(r.Setup.Methods)],
				run.Seed).WithDefaults().Objective.Gamma) - math.Log1p(test.best)
			cell := score.Cell{NLL: 1 + away*away/10 + 0.0001*float64(i%5)}
			for part := range run.Parts {
				run.Parts[part] = cell
			}
			for level := range run.Cells {
				run.Cells[level].NLL = cell.NLL
			}
		}
		if v := r.verdict(test.claim); v.Outcome != Fails {
			t.Errorf("figure %d, best at γ = %g: %q %s (%v), want that it fails",
				test.figure.Number, test.best, test.claim, v.Outcome, v.Effects)
		}
	}
}

// The effect of Figure 8 says which gamma is compared.
func TestFigure08NamesItsGamma(t *testing.T) {
	for largest, want := range map[float64]string{160: ", γ 64 - γ 0", 16: ", γ 16 - γ 0"} {
		r := sweepFixture(t, figure08)
		r.Setup.Methods = slices.DeleteFunc(r.Setup.Methods, func(m Method) bool {
			return r.Setup.config(m, 1).Objective.Gamma > largest
		})
		v := r.verdict(labelRow(0.4) + ": " + wrongLabelsRise)
		if got := v.Effects[0].Name; !strings.HasSuffix(got, want) {
			t.Errorf("up to γ = %g the effect is %q, want %q", largest, got, want)
		}
	}
}

// Of wrong labels with the error 0.2, 80 % are learnt.
func TestShareOfLearntLabels(t *testing.T) {
	r := sweepFixture(t, figure08)
	for _, run := range r.Runs {
		run.Parts[nbbnn.NoisyLabels] = score.Cell{Error: 0.2}
	}
	e := r.verdict(labelRow(0.4) + ": " + wrongLabelsLearnt).Effects[0]
	testkit.Near(t, e.Name, e.Mean, 30, 1e-9)
}

// verdict returns the verdict on a claim.
func (r *Result) verdict(claim string) Verdict {
	for _, v := range r.Verdicts() {
		if v.Claim == claim {
			return v
		}
	}
	return Verdict{}
}

// The smoke scale has no K = 4, so the claim about it is left out.
func TestClaimWithoutItsCurveIsLeftOut(t *testing.T) {
	r := sweepFixture(t, figure06)
	all := len(r.Verdicts())
	r.Setup.Methods = slices.DeleteFunc(slices.Clone(r.Setup.Methods), func(m Method) bool {
		return strings.Contains(m.Name, "K = 4")
	})
	verdicts := r.Verdicts()
	if all != 14 || len(verdicts) != 11 {
		t.Errorf("%d verdicts, %d without K = 4, want 14 and 11", all, len(verdicts))
	}
	for _, v := range verdicts {
		if strings.Contains(v.Claim, "K = 4") || v.Outcome == NotEvaluated {
			t.Errorf("verdict is %+v, want none on K = 4 and none without an evaluation", v)
		}
	}
}

// A claim about several pairs isn't decided by those that are left, nor by the gammas that are.
func TestClaimNeedsAllRuns(t *testing.T) {
	const scaled = "out and both have a lower best scaled NLL under severe corruption than in"
	const remedy = " has no ScaledNLL: `nbbnn figure 7 --scale desk --images N`" +
		" with another N of at least 100 measures it"
	for _, test := range []struct {
		name   string
		figure Figure
		claim  string
		lacks  func(method string, seed uint64) bool
		change func(*RunResult)
		want   string
	}{
		{"a pair", figure07, scaled,
			func(method string, _ uint64) bool { return strings.Contains(method, "both") },
			func(run *RunResult) {
				run.Cells[5].Temperature = 0
			}, "both, K = 4, γ/K = 0 seed 1" + remedy},
		{"a gamma", figure07, scaled,
			func(method string, seed uint64) bool {
				return method == "out, K = 4, γ/K = 8" && seed == 2
			},
			func(run *RunResult) {
				run.Cells[5].Temperature = 0
			}, "out, K = 4, γ/K = 8 seed 2" + remedy},
		{"a gamma on validation images", figure06, chosenHelps,
			func(method string, seed uint64) bool { return seed == 2 },
			func(run *RunResult) { delete(run.Parts, nbbnn.ValidationPart) },
			"seed 1 has no value of " + chosenContrast +
				" in NLL: `nbbnn figure 6 --scale desk` tests the runs that lack it"},
	} {
		r := sweepFixture(t, test.figure)
		for i := range r.Runs {
			if run := &r.Runs[i]; test.lacks(run.Method, run.Seed) {
				test.change(run)
			}
		}
		v := r.verdict(test.claim)
		if v.Outcome != NotEvaluated || v.Detail != test.want || len(v.Effects) > 0 {
			t.Errorf("%s: %s (%s), want not evaluated (%s)", test.name, v.Outcome, v.Detail,
				test.want)
		}
	}
}

// A claim about a metric that some records lack needs it.
func TestClaimsNeedTheirMetric(t *testing.T) {
	for _, figure := range all() {
		for _, claim := range figure.claims {
			scaled := strings.Contains(claim.Text, "scaled") ||
				strings.Contains(claim.Text, "temperature")
			calibrated := strings.Contains(claim.Text, "ECE")
			if scaled != (claim.Metric == ScaledNLL) || calibrated != (claim.Metric == ECE) {
				t.Errorf("%s: %q needs %q", figure.Name(), claim.Text, claim.Metric)
			}
		}
	}
}

// runNames are the directories of a figure's runs.
func runNames(f Figure, scale Scale) (names []string) {
	setup := f.Runs(scale)
	for _, seed := range setup.Seeds {
		for _, method := range setup.Methods {
			names = append(names, setup.config(method, seed).WithDefaults().RunName())
		}
	}
	return names
}

// Figures that ask the same of a network share their runs: those with gamma = 0 are the beginnings
// of the sweeps, and Figures 6 and 7 are parts of Figure 21.
func TestSweepsShareTheirRuns(t *testing.T) {
	for _, scale := range Scales {
		for _, test := range []struct{ part, whole Figure }{
			{figure06, figure21}, {figure07, figure21}, {figure16, figure20}, {figure17, figure21},
			{figure18, figure22}, {figure19, figure23},
		} {
			whole := runNames(test.whole, scale)
			for _, name := range runNames(test.part, scale) {
				if !slices.Contains(whole, name) {
					t.Errorf("%s: figure %d has run %s, figure %d doesn't", scale, test.part.Number,
						name, test.whole.Number)
				}
			}
		}
	}
	for _, figure := range []Figure{figure21, figure22, figure23, figure24} {
		if !slices.Equal(runNames(figure, Smoke), runNames(figure20, Smoke)) {
			t.Errorf("at the smoke scale figure %d has other runs than figure 20", figure.Number)
		}
	}
}

func TestFigure06Verdicts(t *testing.T) {
	r := sweepFixture(t, figure06)
	for i, want := range []float64{-1.475, -1.2, -0.8, -0.05, 0.05, -0.7375, -0.24225, -0.086,
		-0.225, -14.75, -1.475, -0.05, -0.075, 0} {
		if got := r.Verdicts()[i]; got.Outcome != Holds ||
			math.Abs(got.Effects[0].Mean-want) > 1e-9 {
			t.Errorf("%s: %s with %v, want that it holds with %g: %s", got.Claim, got.Outcome,
				got.Effects, want, got.Detail)
		}
	}
}

func TestFigure06IsDrawn(t *testing.T) {
	r := sweepFixture(t, figure06)
	page, all := testkit.Must(r.Draw())(t), testkit.Must(allPanels(r))(t)
	if len(page.Plots()) != 4 || len(all.Plots()) != 3*len(sweepSplits) {
		t.Errorf("%d panels, and %d of all, want 4 and 12", len(page.Plots()), len(all.Plots()))
	}
	table, err := firstTable(r)
	if err != nil || len(table.Rows) != 48 || table.Header[6] != "32" {
		t.Errorf("table has %d rows and the header %v (%v), want 48 and gamma / K up to 64",
			len(table.Rows), table.Header, err)
	}
	for row, want := range map[int][]string{
		0:  {"validation", "K = 1", "1.803"},
		16: {"ScaledNLL, validation", "K = 1", "0.901"},
		33: {"Error %, validation", "± sd", "0.0"},
	} {
		if got := table.Rows[row][:3]; !slices.Equal(got, want) {
			t.Errorf("row %d begins with %q, want %q", row, got, want)
		}
	}
	r.Runs[3].Cells[2].Temperature = 0
	if table, err = firstTable(r); err != nil || len(table.Rows) != 32 {
		t.Errorf("table has %d rows (%v), want 32 where a cell lacks a temperature",
			len(table.Rows), err)
	}
	_, err = notYetEvaluated(r).Draw()
	testkit.Error(t, t.Name(), err, "figure 6 isn't evaluated: call Figure.Evaluate first")
}

// The grid has a row of panels for each mode, on the same axes, and asks the claims of each.
func TestFigure22(t *testing.T) {
	r := sweepFixture(t, figure22)
	figure := testkit.Must(r.Draw())(t)
	plots := figure.Plots()
	if len(plots) != len(allModes)*len(sweepSplits) {
		t.Fatalf("%d panels, want a row of %d for each of %d modes", len(plots), len(sweepSplits),
			len(allModes))
	}
	for i := range sweepSplits {
		if a, b := plots[i].Y, plots[i+2*len(sweepSplits)].Y; a.Min != b.Min || a.Max != b.Max {
			t.Errorf("panel %d has the range %g to %g, the one two rows below %g to %g", i, a.Min,
				a.Max, b.Min, b.Max)
		}
	}
	verdicts := r.Verdicts()
	for i, effects := range []int{1, 24, 6, 6, 1, 2} {
		if len(verdicts[i].Effects) != effects {
			t.Errorf("%s: %d effects, want %d", verdicts[i].Claim, len(verdicts[i].Effects),
				effects)
		}
	}
	if got, want := verdicts[2].Effects[1].Name,
		"in, K = 4, best γ of severe - best γ of test, severe"; got != want {
		t.Errorf("the effect is called %q, want %q", got, want)
	}
	table, err := firstTable(r)
	if err != nil || len(table.Rows) != 48 || table.Rows[0][0] != "in, validation" {
		t.Errorf("table has %d rows (%v), want 48 from \"in, validation\" on", len(table.Rows), err)
	}
	n := r.Figure.collect.numbers(r)
	last := n.untabled[len(n.untabled)-1]
	if len(n.untabled) != 48 || last.What != "Error %, both, severe" {
		t.Errorf("%d lines besides the table, the last %+v, want 48 to the error", len(n.untabled),
			last)
	}
	testkit.Near(t, "error of seed 1 at γ = 0", last.Values[0][0], 27.01, 1e-9)
}

// The paper's curve is drawn where all of our gammas are on its grid.
func TestPublishedAt(t *testing.T) {
	for _, test := range []struct {
		components int
		gamma      []float64
		want       []float64
	}{
		{4, []float64{0, 80, 160}, []float64{1.1115, 0.8794, 1.0873}},
		{1, []float64{0, 20}, []float64{1.2369, 0.916}},
		{4, []float64{0, 10}, nil}, {4, []float64{0, 176}, nil}, {3, []float64{0}, nil},
	} {
		config := nbbnn.Paper("vgg16", dataset.CIFAR100)
		config.Posterior.Components = test.components
		theirs := componentSweep.paper(sweepCurve{config: config.WithDefaults()})
		if got := publishedAt(theirs["validation"], test.gamma); !slices.Equal(got, test.want) {
			t.Errorf("%+v: the paper has %v", test, got)
		}
	}
}

// Every figure is made from end to end, with networks of a channel or two and an epoch of training.
// The figures share their runs as they do at any scale.
func TestEveryFigureIsMade(t *testing.T) {
	csvLines := map[int]int{ // of some figures
		1: 1 + 2*3 + 2*2, 2: 1 + 2*4, 3: 1 + 2*len(reported)*6 + 2*2, 4: 1 + 3*2*2*3,
		5: 1 + (6*2+2*4)*4 + 2*2, 6: 1 + 3*4*4 + 4*2, 8: 1 + 2*3*2*3 + 9*2, 12: 1 + 2*4*4,
		16: 1 + 2*2, 20: 1 + 3*3*4*4 + 12*2,
	}
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	figures, _ := Figures()
	for _, figure := range figures {
		t.Run(figure.Name(), func(t *testing.T) {
			small := figure.Adjust(func(s *Setup) {
				s.Config.Network.Width, s.Seeds = 2, s.Seeds[:1]
				s.Config.Data.Train, s.Config.Data.Test, s.Config.Data.Validation = 48, 16,
					min(s.Config.Data.Validation, 10)
				s.Config.Training.Epochs, s.Config.Training.Batch, s.Config.Training.BetaEpochs = 1,
					16, 1
				if s.Ensemble > 0 {
					s.Config.Training.Epochs = 4 // SWAG collects the weights of the last two
				}
				s.Evaluation.Suite, s.Evaluation.Images, s.Evaluation.Samples = "contrast", 4, 4
				s.Implicit.Steps = 3
			})
			result, files, err := Make(t.Context(), small, Smoke, options)
			testkit.NoError(t, err)
			if figure.Number == 1 {
				checkPlanes(t, result)
			}
			want := 3
			if small.whole != nil {
				want++
			}
			if len(files) != want || len(result.Verdicts()) == 0 || result.Test() == "" {
				t.Errorf("%d files, %d verdicts, tested on %q, want %d, some and a text",
					len(files), len(result.Verdicts()), result.Test(), want)
			}
			testkit.Must(result.Tables())(t)
			if plan := testkit.Must(small.Plan(Smoke, options))(t); plan.Missing() ||
				plan.operations() != 0 {
				t.Errorf("plan is %v, want nothing left to do", plan)
			}
			again := options
			again.Progress = func(u nbbnn.Update) { t.Errorf("it is computed again: %+v", u) }
			testkit.Must(small.Evaluate(t.Context(), Smoke, again))(t)
			rows := testkit.Must(csv.NewReader(bytes.NewReader(readFile(t, files[1]))).ReadAll())(t)
			if want := csvLines[figure.Number]; want != 0 && len(rows) != want {
				t.Errorf("the CSV file has %d lines, want %d", len(rows), want)
			}
		})
	}
}
