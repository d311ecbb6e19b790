package paper

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// fabricated returns an evaluated result of a figure at the quick scale whose cells have the given
// NLL for a method, a seed and a level, and on validation images a level of -1.
func fabricated(t *testing.T, figure Figure, nll func(method string, seed uint64,
	level int) float64) *Result {
	t.Helper()
	setup := testkit.Must(figure.setup(Quick))(t)
	r := &Result{evaluated: true, Figure: figure, Scale: Quick, Setup: setup}
	for _, seed := range setup.Seeds {
		for _, method := range setup.Methods {
			trained := testkit.Must(nbbnn.Open(t.TempDir(), setup.config(method, seed)))(t)
			cells := fogCells()
			for level := range cells {
				cells[level].NLL = nll(method.Name, seed, level)
				cells[level].Error, cells[level].Temperature, cells[level].ScaledNLL =
					cells[level].NLL/10, 1, cells[level].NLL
			}
			part := cells[0]
			part.NLL = nll(method.Name, seed, -1)
			r.Runs = append(r.Runs, RunResult{
				Run:     Run{Method: method.Name, Seed: seed, Run: trained, Row: method.Row},
				Cells:   cells,
				History: []nbbnn.Epoch{{NLL: 0.1}}, Parts: map[nbbnn.Part]score.Cell{
					nbbnn.ValidationPart: part},
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
	testkit.Near(t, "best c - best γ", primary.Effects[0].Differences,
		[]float64{0.11, 0.12, 0.13, 0.14, 0.15}, 1e-12)
	if primary.Outcome != Holds || verdicts[1].Outcome == Holds {
		t.Errorf("a lead of 0.11 nats and more: %s, alike: %s", primary.Outcome,
			verdicts[1].Outcome)
	}
}

// Methods of one run have tests of their own, which differ in one setting.
func TestVariantsTestOneRunInSeveralWays(t *testing.T) {
	for _, figure := range []Figure{latentScale, batchStatistics} {
		for _, scale := range []Scale{Smoke, Quick, Desk} {
			setup := testkit.Must(figure.setup(scale))(t)
			seen := map[any]string{}
			for _, method := range setup.Methods {
				e := figure.collect.(tests).evaluations(setup, method.Name, 2)[0]
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
	js := 0.5*(0.9*math.Log(0.9/0.6)+0.1*math.Log(0.1/0.4)) +
		0.5*(0.3*math.Log(0.3/0.6)+0.7*math.Log(0.7/0.4))
	want := componentScores{
		oneComponent: -(math.Log(0.9) + math.Log(0.3)) / 2, allComponents: -math.Log(0.6),
		twoTrainings:     -math.Log(0.6),
		componentsDiffer: 100, componentsApart: js,
	}
	testkit.Near(t, "scores", got[:], want[:], 1e-6)
}

// Draws of a component that differ: one component has the likelihood of their mean, and groups of
// two draws of all components have that of their own.
func TestScoresOfDrawsThatDiffer(t *testing.T) {
	const images, k = 3, 2
	draws := func(each ...float64) componentDraws { // probabilities of the right class
		p := score.Prediction{Images: images, Samples: len(each) * k, Classes: 2}
		for range images {
			for _, right := range each {
				for range k {
					p.LogProbabilities = append(p.LogProbabilities, float32(math.Log(right)),
						float32(math.Log(1-right)))
				}
			}
		}
		return componentDraws{p, k}
	}
	got, err := scoreComponents(draws(0.9, 0.9, 0.2, 0.2), draws(0.7, 0.7), make([]uint8, images))
	testkit.NoError(t, err)
	js := func(p, q float64) float64 {
		m := (p + q) / 2
		half := func(p float64) float64 { return p*math.Log(p/m) + (1-p)*math.Log((1-p)/(1-m)) }
		return (half(p) + half(q)) / 2
	}
	want := componentScores{
		oneComponent: -math.Log(0.55), allComponents: -(math.Log(0.9) + math.Log(0.2)) / 2,
		twoTrainings: -math.Log(0.8),
		halvesDiffer: 100, componentsDiffer: 100, halvesApart: js(0.9, 0.2),
		componentsApart: js(0.9, 0.2), trainingsApart: js(0.9, 0.7),
	}
	testkit.Near(t, "scores", got[:], want[:], 1e-6)
}

func TestFiguresHaveOneNameEach(t *testing.T) {
	for _, figure := range all() {
		if found, err := ByName(figure.Command()); err != nil || found.Title != figure.Title {
			t.Errorf("%s names %q, %v", figure.Command(), found.Title, err)
		}
	}
	if figure, err := ByName("03"); err != nil || figure.Name() != "figure-03" {
		t.Errorf("figure 03 is %q, %v", figure.Name(), err)
	}
	_, err := ByNumber(25)
	testkit.Error(t, "unknown", err, "choose one of 1, 2, 3, 4, 5, 6",
		"demo, latent-scale, batch-statistics, components, exact-posterior")
}

// The page of our own results says what their reports say.
func TestPageBeyondAgreesWithItsReports(t *testing.T) {
	folder := filepath.Join(resultsFolder, "beyond")
	page := string(testkit.Must(os.ReadFile(filepath.Join(folder, "README.md")))(t))
	reports := testkit.Must(filepath.Glob(filepath.Join(folder, "*", "*.json")))(t)
	for _, path := range reports {
		var report Report
		testkit.NoError(t, readJSON(path, &report))
		if picture := strings.TrimSuffix(path, ".json") + ".png"; !strings.Contains(page,
			filepath.Base(picture)) {
			t.Errorf("the page doesn't show %s", picture)
		}
		if strings.HasSuffix(path, "-marginals.json") {
			_, ratios, _ := strings.Cut(report.Finding, ": ")
			checkTold(t, "divided by q's ("+ratios+")")
			continue
		}
		primary, _ := report.Verdicts.primary()
		mean := strings.TrimLeft(strings.Fields(worded{primary}.Found())[0], "+-")
		if len(primary.Effects[0].Differences) < 5 || !strings.Contains(page, mean) {
			t.Errorf("%s: the page doesn't say %s of %s", path, mean, primary.Claim)
		}
	}
	if len(reports) < 2 {
		t.Errorf("%d reports in %s, want two or more", len(reports), folder)
	}
}

// The section on corruptions has the differences of four seeds in the mean over the corruptions,
// with an interval over these.
func TestPageBeyondAgreesWithCorruptions(t *testing.T) {
	corruptions := testkit.Must(corrupt.SuiteByName("all19"))(t).Corruptions
	for metric, format := range map[string]string{
		"NLL":       "under %d of 19 corruptions, by %.3f nats [%.3f, %.3f]",
		"ScaledNLL": "with one temperature under %d of 19, by %.3f [%.3f, %.3f]",
	} {
		var each []float64
		below := 0
		for _, corruption := range corruptions {
			var differences []float64
			for seed := 1; seed <= 4; seed++ {
				test := nbbnn.Evaluation{Suite: "all19", Images: 500, Samples: 1,
					First: 500 * (seed - 1)}
				ordinary := recorded(t,
					fmt.Sprintf("figure-10-desk/cards/map-on-cifar-10-seed%d", seed), test,
					metric, corruption)
				test.Samples = 8
				noisy := recorded(t,
					fmt.Sprintf("figure-10-desk/cards/node-bnn-on-cifar-10-seed%d", seed),
					test, metric, corruption)
				differences = append(differences, ordinary-noisy)
			}
			if each = append(each, score.Summarise(differences).Mean); each[len(each)-1] > 0 {
				below++
			}
		}
		e := newEffect("", "", aboveZero, each)
		want := fmt.Sprintf(format, below, e.Mean, e.Interval[0], e.Interval[1])
		if !strings.Contains(unwrapped(t, pageBeyond), want) {
			t.Errorf("the page doesn't say %s", want)
		}
	}
}

// recorded returns a metric of a record under a corruption: its mean over levels 1 to 5.
func recorded(t *testing.T, record string, evaluation nbbnn.Evaluation, name,
	corruption string) float64 {
	t.Helper()
	metric := testkit.Must(score.MetricByName(name))(t)
	cells := slices.DeleteFunc(testkit.Must(openRecord(t, record).Cells(evaluation))(t),
		func(c score.Cell) bool {
			return c.Severity > 0 && c.Corruption != corruption
		})
	levels := testkit.Must(metric.Levels(cells))(t)
	return score.Summarise(levels[1:]).Mean
}
