package paper

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// publicFigure is a figure of the paper with public numbers, as runs of its scale: the mean and the
// standard deviation over seeds of each run.
type publicFigure struct {
	figure Figure
	scale  Scale
	rows   []string // whose numbers are public; nil for all
	cells  func(config nbbnn.Config, method string) map[string]cell
}

// cell is the mean and the standard deviation of a split, or of a level like "3".
type cell struct{ mean, std float64 }

// publishedFigures are the figures whose primary contrast the paper's numbers decide.
var publishedFigures = map[string]publicFigure{
	"3": {Figure03, Paper, nil, levelsOf(published.Figure3)},
	"6": {figure06, Paper, nil,
		splitsOf(published.Figure6, map[string]float64{validationSplit.name: 0.01,
			testSplit.name: 0.008, mildSplit.name: 0.02, severeSplit.name: 0.05})},
	"8": {figure08, Paper, []string{labelRow(0.4)},
		splitsOf(published.Figure8, map[string]float64{cleanLabels.name: 0.01,
			wrongLabels.name: 0.03, testSplit.name: 0.006})},
	"9": {figure09, Paper, []string{labelRow(0.4)},
		splitsOf(published.Figure8, map[string]float64{cleanLabels.name: 0.01,
			wrongLabels.name: 0.03, testSplit.name: 0.006})},
}

func levelsOf(curves []publishedCurve) func(nbbnn.Config, string) map[string]cell {
	return func(_ nbbnn.Config, method string) map[string]cell {
		cells := map[string]cell{}
		for _, curve := range curves {
			for level := range curve.Mean {
				if curve.Method == method {
					cells[fmt.Sprint(level)] = cell{curve.Mean[level], curve.Std[level]}
				}
			}
		}
		return cells
	}
}

// splitsOf takes the standard deviations, typical of the published ones, by split.
func splitsOf(sweeps publishedSweeps, std map[string]float64) func(nbbnn.Config,
	string) map[string]cell {
	return func(config nbbnn.Config, _ string) map[string]cell {
		cells := map[string]cell{}
		for _, curve := range sweeps.Curves {
			if curve.K == config.Posterior.Components {
				cells[curve.Split] = cell{
					curve.NLL[int(config.Objective.Gamma)/curve.K/publishedStep], std[curve.Split]}
			}
		}
		return cells
	}
}

// draw returns a study of the figure: every run's numbers with normal deviations of a seed.
func (p publicFigure) draw(random *rand.Rand, seeds int) *Result {
	figure := p.figure.Adjust(func(s *Setup) {
		s.Seeds = quantity.FirstSeeds(seeds)
		if p.rows != nil {
			s.Methods = slices.DeleteFunc(slices.Clone(s.Methods), func(m Method) bool {
				return !slices.Contains(p.rows, m.Row)
			})
		}
	})
	figure.claims = slices.DeleteFunc(slices.Clone(figure.claims), func(c claim) bool {
		return c.Source != fromPaper
	})
	for i := range figure.claims {
		figure.claims[i].family = nil // what is beside them isn't judged
	}
	r := &Result{evaluated: true, Figure: figure, Scale: p.scale, Setup: figure.Runs(p.scale)}
	expected := map[string]map[string]cell{} // by method
	for _, method := range r.Setup.Methods {
		expected[method.title()] = p.cells(r.Setup.config(method, 0).WithDefaults(), method.Name)
	}
	for _, seed := range r.Setup.Seeds {
		for _, method := range r.Setup.Methods {
			cells := expected[method.title()]
			of := func(name string) score.Cell {
				nll := cells[name].mean + random.NormFloat64()*cells[name].std
				return score.Cell{NLL: nll, Error: 0.1, Temperature: 1, ScaledNLL: nll}
			}
			run := RunResult{Run: Run{Method: method.Name, Row: method.Row, Seed: seed},
				Cells: fogCells()}
			run.History = []nbbnn.Epoch{{Entropy: 0}, {Epoch: 1, Entropy: -1},
				{Epoch: 2, Entropy: -2}}
			run.Parts = map[nbbnn.Part]score.Cell{
				nbbnn.ValidationPart: of(validationSplit.name), nbbnn.CleanPart: of(testSplit.name),
				nbbnn.CleanLabels: of(cleanLabels.name), nbbnn.NoisyLabels: of(wrongLabels.name),
			}
			test, mild, severe := of(testSplit.name), of(mildSplit.name), of(severeSplit.name)
			for level := range run.Cells {
				drawn := []score.Cell{test, mild, mild, mild, severe, severe}[level]
				if _, found := cells[fmt.Sprint(level)]; found {
					drawn = of(fmt.Sprint(level))
				}
				drawn.Corruption, drawn.Severity = run.Cells[level].Corruption,
					run.Cells[level].Severity
				run.Cells[level] = drawn
			}
			r.Runs = append(r.Runs, run)
		}
	}
	return r
}

// The paper's own numbers, given to the judge, come out as the paper says: with the paper's
// standard deviations and five seeds, the primary contrast of each figure does so in nearly every
// study, and every other claim of the paper in most. Figure 3's standard deviations are of runs
// without pairs.
func TestPaperComesOutAsThePaper(t *testing.T) {
	const studies = 40
	for name, p := range publishedFigures {
		random := rand.New(rand.NewPCG(3, 4))
		for _, seeds := range []int{decidingSeeds} {
			holds, fails := map[string]int{}, map[string]int{}
			var claims []Verdict
			for range studies {
				claims = slices.DeleteFunc(p.draw(random, seeds).Verdicts(), func(v Verdict) bool {
					return v.Source != fromPaper || len(v.Effects) == 0
				})
				for _, v := range claims {
					switch v.Outcome {
					case Holds:
						holds[v.Claim]++
					case Fails:
						fails[v.Claim]++
					}
				}
			}
			for _, v := range claims {
				t.Logf("figure %s, %d seeds: of %d studies %2d come out as the paper, %d "+
					"against: %s", name, seeds, studies, holds[v.Claim], fails[v.Claim], v.Claim)
				if v.Primary && seeds == 5 && 100*holds[v.Claim] < 90*studies {
					t.Errorf("figure %s: the primary claim comes out as the paper in %d of %d "+
						"studies, want 90 %%", name, holds[v.Claim], studies)
				}
				if 100*fails[v.Claim] > 5*studies {
					t.Errorf("figure %s, %d seeds: %s comes out against the paper in %d of %d "+
						"studies, want 5 %% at most", name, seeds, v.Claim, fails[v.Claim], studies)
				}
				if v.Primary {
					testkit.Near(t, "figure "+name+": the paper's effect", v.Theirs,
						*v.Effects[0].Paper, 0.005)
				}
			}
		}
	}
}

// Without any effect of gamma or of the wider noise, a claim of the paper holds in at most 5 % of
// the studies of five seeds: 2.5 % for a difference of two methods, a little more where other seeds
// choose a gamma. One that compares the best of several with the best of several does so in up to 8
// %, and is marked as exploratory.
func TestNullStudiesHoldRarely(t *testing.T) {
	const studies = 300
	const tolerance = 0.025 // two standard errors of a share of 5 % of the studies
	figures := maps.Clone(publishedFigures)
	figures["7"] = publicFigure{figure07, Desk, nil, figures["6"].cells}
	for name, p := range figures {
		of := p.cells
		p.cells = func(config nbbnn.Config, method string) map[string]cell {
			config.Objective.Gamma = 0
			if method == "M32" {
				method = "M16"
			}
			cells := of(config, method)
			for split, c := range cells { // clean and wrong labels differ only by their level
				cells[split] = cell{1, c.std}
			}
			return cells
		}
		// fewer gammas, as we run them
		p.scale = map[string]Scale{"3": Paper, "6": Desk, "7": Desk, "8": Desk, "9": Desk}[name]
		random, holds := rand.New(rand.NewPCG(5, 6)), map[string]int{}
		var claims []Verdict
		for range studies {
			claims = p.draw(random, decidingSeeds).Verdicts()
			for _, v := range claims {
				if v.Outcome == Holds {
					holds[v.Claim]++
				}
			}
		}
		for _, v := range claims {
			// which the null makes true
			isAlike := len(v.Effects) > 0 && v.Effects[0].Claimed == nearZero
			if v.Source != fromPaper || !v.Levels() || isAlike {
				continue
			}
			share, most := float64(holds[v.Claim])/studies, 0.05
			if v.Exploratory {
				most = 0.08
			}
			t.Logf("figure %s: without effect %.1f %% of the studies hold: %s (exploratory: %t)",
				name, 100*share, v.Claim, v.Exploratory)
			if share > most+tolerance {
				t.Errorf("figure %s: %s holds in %.3f of the studies without effect, want at "+
					"most %.2f", name, v.Claim, share, most)
			}
		}
	}
}

// Levels reports whether the verdict compares tests, not entropies.
func (v Verdict) Levels() bool {
	return len(v.Effects) > 0 && v.Effects[0].Unit == "nats"
}
