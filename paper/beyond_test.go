package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// fabricated returns an evaluated result of a figure at the quick scale whose cells have the given
// NLL for a method, a seed and a level, and on validation images a level of -1.
func fabricated(t *testing.T, figure Figure, nll func(method string, seed uint64, level int) float64) *Result {
	t.Helper()
	setup := testkit.Must(figure.setup(Quick))(t)
	r := &Result{evaluated: true, Figure: figure, Scale: Quick, Setup: setup}
	for _, seed := range setup.Seeds {
		for _, method := range setup.Methods {
			trained := testkit.Must(nbbnn.Open(t.TempDir(), setup.config(method, seed)))(t)
			cells := fogCells()
			for level := range cells {
				cells[level].NLL = nll(method.Name, seed, level)
				cells[level].Error, cells[level].Temperature, cells[level].ScaledNLL = cells[level].NLL/10, 1, cells[level].NLL
			}
			part := cells[0]
			part.NLL = nll(method.Name, seed, -1)
			r.Runs = append(r.Runs, RunResult{
				Run: Run{Method: method.Name, Seed: seed, Run: trained, Row: method.Row}, Cells: cells,
				History: []nbbnn.Epoch{{NLL: 0.1}}, Parts: map[nbbnn.Part]score.Cell{nbbnn.ValidationPart: part},
			})
		}
	}
	return r
}

// c and gamma are chosen on the validation images of the other seeds, whatever the test images say.
func TestScaleAndGammaAreChosenOnValidationImages(t *testing.T) {
	validation := map[string]float64{"γ = 0, σ × 2": 1, "γ = 16": 1}
	r := fabricated(t, latentScale, func(method string, seed uint64, level int) float64 {
		best, chosen := validation[method]
		switch {
		case level < 0 && chosen:
			return best
		case level < 0:
			return 1.2
		case method == "γ = 0, σ × 2":
			return 1.5 + 0.01*float64(seed)
		case method == "γ = 16":
			return 1.4
		}
		return 1.3 // better under corruption, and not chosen
	})
	verdicts := r.Verdicts()
	primary, _ := verdicts.primary()
	testkit.Near(t, "best c - best γ", primary.Effects[0].Differences, []float64{0.11, 0.12, 0.13, 0.14, 0.15}, 1e-12)
	if primary.Outcome != Holds || verdicts[1].Outcome == Holds {
		t.Errorf("a lead of 0.11 nats and more: %s, alike: %s", primary.Outcome, verdicts[1].Outcome)
	}
}

// Methods of one run have tests of their own, which differ in one setting.
func TestVariantsTestOneRunInSeveralWays(t *testing.T) {
	for _, figure := range []Figure{latentScale, batchStatistics} {
		for _, scale := range []Scale{Smoke, Quick, Desk} {
			setup := testkit.Must(figure.setup(scale))(t)
			seen := map[any]string{}
			for _, method := range setup.Methods {
				e := figure.Collect.(tests).evaluations(setup, method.Name, 2)[0]
				test := [2]any{setup.config(method, 2).WithDefaults().Hash(), e}
				if other, found := seen[test]; found {
					t.Errorf("%s: %s and %s are the same test", figure.Key, method.Name, other)
				}
				seen[test] = method.Name
				if e.First != setup.evaluation(2).First {
					t.Errorf("%s: %s is tested from image %d on", figure.Key, method.Name, e.First)
				}
			}
		}
	}
}

// Two components that never agree, both the same in another training: one component has its own
// likelihood, and both together that of the mean.
func TestScoresOfComponentsThatDisagree(t *testing.T) {
	const images, k = 3, 2
	sure := []float32{float32(math.Log(0.9)), float32(math.Log(0.1))}
	unsure := []float32{float32(math.Log(0.3)), float32(math.Log(0.7))}
	draws := func(each int) componentDraws {
		p := score.Prediction{Images: images, Samples: each * k, Classes: 2}
		for range images * each {
			p.LogProbabilities = append(append(p.LogProbabilities, sure...), unsure...)
		}
		return componentDraws{p, k}
	}
	got, err := scoreComponents(draws(2*k), draws(2), make([]uint8, images))
	testkit.NoError(t, err)
	js := 0.5*(0.9*math.Log(0.9/0.6)+0.1*math.Log(0.1/0.4)) + 0.5*(0.3*math.Log(0.3/0.6)+0.7*math.Log(0.7/0.4))
	want := componentScores{
		oneComponent: -(math.Log(0.9) + math.Log(0.3)) / 2, allComponents: -math.Log(0.6), twoTrainings: -math.Log(0.6),
		componentsDiffer: 100, componentsApart: js,
	}
	testkit.Near(t, "scores", got[:], want[:], 1e-6)
}

// Draws that disagree, as the same of both components don't: the first half is sure, the second not.
func TestScoresOfDrawsThatDisagree(t *testing.T) {
	const images, k = 3, 2
	draws := func(probabilities ...float64) componentDraws {
		p := score.Prediction{Images: images, Samples: len(probabilities) * k, Classes: 2}
		for range images {
			for _, first := range probabilities {
				for range k {
					p.LogProbabilities = append(p.LogProbabilities, float32(math.Log(first)), float32(math.Log(1-first)))
				}
			}
		}
		return componentDraws{p, k}
	}
	got, err := scoreComponents(draws(0.9, 0.9, 0.3, 0.3), draws(0.9, 0.9), make([]uint8, images))
	testkit.NoError(t, err)
	js := 0.5*(0.9*math.Log(0.9/0.6)+0.1*math.Log(0.1/0.4)) + 0.5*(0.3*math.Log(0.3/0.6)+0.7*math.Log(0.7/0.4))
	want := componentScores{
		oneComponent: -math.Log(0.6), allComponents: -(math.Log(0.9) + math.Log(0.3)) / 2, twoTrainings: -math.Log(0.9),
		halvesDiffer: 100, halvesApart: js, componentsDiffer: 100, componentsApart: js,
	}
	testkit.Near(t, "scores", got[:], want[:], 1e-6)
}

func TestFiguresHaveOneNameEach(t *testing.T) {
	for _, figure := range append(All(), Beyond()...) {
		if found, err := ByName(figure.Command()); err != nil || found.Title != figure.Title {
			t.Errorf("%s names %q, %v", figure.Command(), found.Title, err)
		}
	}
	if figure, err := ByName("03"); err != nil || figure.Name() != "figure-03" {
		t.Errorf("figure 03 is %q, %v", figure.Name(), err)
	}
	_, err := ByNumber(25)
	testkit.Error(t, "unknown", err, "choose one of 1, 2, 3, 4, 5, 6", "demo, latent-scale, batch-statistics, components, gap")
}

// The page of our own results says what their reports say.
func TestPageBeyondAgreesWithItsReports(t *testing.T) {
	folder := filepath.Join(resultsFolder, "beyond")
	page := string(testkit.Must(os.ReadFile(filepath.Join(folder, "README.md")))(t))
	reports := testkit.Must(filepath.Glob(filepath.Join(folder, "*", "*.json")))(t)
	for _, path := range reports {
		var report Report
		testkit.NoError(t, readJSON(path, &report))
		primary, _ := report.Verdicts.primary()
		mean := strings.TrimLeft(strings.Fields(primary.Found())[0], "+-")
		if len(primary.Effects[0].Differences) < 5 || !strings.Contains(page, mean) {
			t.Errorf("%s: the page doesn't say %s of %s", path, mean, primary.Claim)
		}
		if picture := strings.TrimSuffix(path, ".json") + ".png"; !strings.Contains(page, filepath.Base(picture)) {
			t.Errorf("the page doesn't show %s", picture)
		}
	}
	if len(reports) < 2 {
		t.Errorf("%d reports in %s, want two or more", len(reports), folder)
	}
}

// The section on fixed noise compares its records with those of Figure 6, K = 1 and γ = 16, of the same
// seeds and images: mean differences over levels 1 to 5.
func TestPageBeyondAgreesWithFixedNoise(t *testing.T) {
	for metric, format := range map[string]string{"NLL": "%.3f nats [%.3f, %.3f]", "ScaledNLL": "%.3f [%.3f, %.3f]", "Error": "%.1f points [%.1f, %.1f]"} {
		var learnt, fixed []float64
		for seed := 1; seed <= 5; seed++ {
			test := nbbnn.Evaluation{Suite: "first8", Images: 500, Samples: 8, First: 500 * (seed - 1)}
			learnt = append(learnt, recorded(t, fmt.Sprintf("figure-06-quick/cards/out-k-1-gamma-k-16-seed%d.json", seed), test, metric, ""))
			fixed = append(fixed, recorded(t, fmt.Sprintf("beyond/fixed-noise/cards/fixed-%d-seed%d.json", seed, seed), test, metric, ""))
		}
		pageBeyondSays(t, format, differences(learnt, fixed))
	}
	pageBeyondContains(t, fmt.Sprintf("%.3f nats, where it's learnt from there on %.3f",
		corruptedMean(t, "figure-03-quick/figure-03.json", "M32 fixed σ", NLL), corruptedMean(t, "figure-03-quick/figure-03.json", "M32", NLL)))
}

// The section on corruptions has the means over noise and blur, and over the others.
func TestPageBeyondAgreesWithCorruptions(t *testing.T) {
	for metric, format := range map[string]string{"NLL": "%.3f nats [%.3f, %.3f]", "ScaledNLL": "%.3f [%.3f, %.3f]", "Error": "%.1f points [%.1f, %.1f]"} {
		for _, suite := range []string{"noise and blur", "others"} {
			var ordinary, noisy []float64
			for seed := 1; seed <= 3; seed++ {
				test := nbbnn.Evaluation{Suite: "all19", Images: 500, Samples: 1, First: 500 * (seed - 1)}
				ordinary = append(ordinary, recorded(t, fmt.Sprintf("figure-10-desk/cards/map-on-cifar-10-seed%d.json", seed), test, metric, suite))
				test.Samples = 8
				noisy = append(noisy, recorded(t, fmt.Sprintf("figure-10-desk/cards/node-bnn-on-cifar-10-seed%d.json", seed), test, metric, suite))
			}
			pageBeyondSays(t, format, differences(ordinary, noisy))
		}
	}
}

// recorded returns a metric of a record, in nats or points: its mean over levels 1 to 5, of all
// corruptions, of noise and blur, or of the others.
func recorded(t *testing.T, record string, evaluation nbbnn.Evaluation, name, part string) float64 {
	t.Helper()
	metric := testkit.Must(score.MetricByName(name))(t)
	run := testkit.Must(nbbnn.OpenDirectory(testkit.Must(nbbnn.RecordDirectory(filepath.Join(resultsFolder, record)))(t)))(t)
	cells := slices.DeleteFunc(testkit.Must(run.Cells(evaluation))(t), func(c score.Cell) bool {
		noise := strings.HasSuffix(c.Corruption, "noise") || strings.HasSuffix(c.Corruption, "blur")
		return c.Severity > 0 && part != "" && noise != (part == "noise and blur")
	})
	levels := testkit.Must(metric.Levels(cells))(t)
	mean := score.Summarise(levels[1:]).Mean
	if name == "Error" {
		return 100 * mean
	}
	return mean
}

// pageBeyondSays wants the mean of differences with its interval on the page of our own results.
func pageBeyondSays(t *testing.T, format string, differences []float64) {
	t.Helper()
	e := newEffect("", "", aboveZero, differences)
	pageBeyondContains(t, fmt.Sprintf(format, e.Mean, e.Interval[0], e.Interval[1]))
}

// pageBeyondContains wants a text on the page of our own results.
func pageBeyondContains(t *testing.T, want string) {
	t.Helper()
	page := string(testkit.Must(os.ReadFile(filepath.Join(resultsFolder, "beyond", "README.md")))(t))
	if !strings.Contains(strings.Join(strings.Fields(page), " "), want) {
		t.Errorf("the page doesn't say %s", want)
	}
}

// gapResult is a result of the figure on the gap in which noise of γ = 16 wins half of what the gap
// is above 0.2 nats, and γ = 64 twice that.
func gapResult(t *testing.T) *Result {
	t.Helper()
	r := fabricated(t, gapLaw.Adjust(func(s *Setup) { *s = gapLaw.Runs(Desk) }), func(string, uint64, int) float64 { return 1 })
	for i := range r.Runs {
		run := &r.Runs[i]
		config := run.Config()
		gap := 500/float64(config.Data.Train-config.Data.Validation) + float64(config.Network.Width)/100 + float64(run.Seed)/1000
		wins := map[string]float64{gammaName(16): 0.5 * (gap - 0.2), gammaName(64): gap - 0.2}[run.Method]
		run.History[0].NLL = 1 - gap
		for level := 1; level < len(run.Cells); level++ {
			run.Cells[level].NLL -= wins
		}
	}
	return r
}

// The line of each seed has the slope and the zero that its points have.
func TestGapOfWhatNoiseWins(t *testing.T) {
	r := gapResult(t)
	verdicts := r.Verdicts()
	primary, _ := verdicts.primary()
	testkit.Near(t, "slope", primary.Effects[0].Differences, []float64{-0.5, -0.5, -0.5}, 1e-9)
	for _, v := range verdicts {
		if strings.Contains(v.Effects[0].Name, "is zero") {
			testkit.Near(t, "zero", v.Effects[0].Differences, []float64{0.2, 0.2, 0.2}, 1e-9)
		}
	}
	points := ofNetwork(gapPoints(r, NLL), "All-CNN-C")
	if len(points) != 5 {
		t.Fatalf("%d points of a network at five numbers of images", len(points))
	}
	for _, p := range points {
		testkit.Near(t, p.row, p.wins, []float64{-0.5 * (p.gap[0] - 0.2), -0.5 * (p.gap[1] - 0.2), -0.5 * (p.gap[2] - 0.2)}, 1e-9)
	}
	line := meanGapLine(gapPoints(r, NLL), 0, 2)
	testkit.Near(t, "ends of the drawn line", []float64{line.Y[0], line.Y[40], line.Half[40]}, []float64{0.1, -0.9, 0}, 1e-9)
	for i := range points {
		points[i].gap, points[i].wins = points[i].gap[:1], points[i].wins[:1]
	}
	if line = meanGapLine(points, 1, 2); line.Name != "one seed" || line.Half != nil || line.X[0] != 1 {
		t.Errorf("the line of one seed from a gap of 1 on is %+v", line)
	}
	if table := testkit.Must(r.Summary())(t); len(table.Rows) != 2*len(r.Setup.Methods) {
		t.Errorf("%d rows for %d methods", len(table.Rows), len(r.Setup.Methods))
	}
}

// Below the threshold noise has little to win, above it something.
func TestGapText(t *testing.T) {
	gap := committedResult(t, "beyond/gap/gap.json")
	end := gap.Verdict("there is a gap, above zero, below which γ = 16 wins nothing").Effects[0]
	if end.Interval[0] > comparableGap || end.Interval[1] < comparableGap {
		t.Errorf("the threshold of %g nats isn't in %v", comparableGap, end)
	}
	pageBeyondSays(t, "The seeds' lines cross zero at %.2f nats [%.2f, %.2f]", end.Differences)
	slopes := gap.Primary().Effects[0]
	atZero := -floats.Dot(end.Differences, slopes.Differences) / float64(len(end.Differences))
	pageBeyondContains(t, fmt.Sprintf("it crosses zero at %.2f", -atZero/slopes.Mean))
	desk := committedResult(t, "figure-10-desk/figure-10.json")
	pageBeyondContains(t, fmt.Sprintf("%.2f nats only and node-BNN's NLL is %.3f nats lower", desk.Gap.Nats, -desk.Primary().Effects[0].Mean))
	for nats, want := range map[float64]string{0.1: "has little to win", 0.3: "may lower the NLL"} {
		if got := GapText(nats); !strings.Contains(got, want) {
			t.Errorf("%g nats: %q, want %q", nats, got, want)
		}
	}
}
