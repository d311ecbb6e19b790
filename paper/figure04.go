package paper

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// Figure04 is Figure 4 of the paper: what has to be added to an image so that All-CNN-C without noise says what it says about the
// image under one draw of its latents, for three weights lambda of the size of the change. The runs are those of Figure03.
var Figure04 = Figure{
	Number:       4,
	Title:        "What a draw of the latents does to the network can be done to the image instead",
	Methods:      []Method{M(0.16), M(0.32)},
	Setup:        implicitAllCNNC,
	PublishedRMS: map[float64]float64{0.03: 0.133, 0.1: 0.067, 0.3: 0.028}, // measured on the authors' slides, ±0.01 (METHOD.md section 6)
	Layout:       figure04Layout,
	Claims: []Claim{
		{Text: "norm falls as lambda grows, in every search", Levels: true, Check: normFalls},
		{Text: "distance from the target grows with lambda", Levels: true, Check: distanceGrows},
	},
}

// implicitAllCNNC is allCNNC with the implicit corruptions of one image: the horse of the paper is CIFAR-10's first in the test set.
func implicitAllCNNC(scale Scale) Setup {
	setup := allCNNC(scale)
	setup.Implicit = nbbnn.Implicit{First: firstHorse, Draws: 2, Lambda: []float64{0.03, 0.1, 0.3}}
	switch scale {
	case Smoke:
		setup.Implicit.First = 1
	case Full:
		setup.Seeds = FirstSeeds(2)
	}
	return setup
}

// firstHorse is the place of the first horse among CIFAR-10's test images.
const firstHorse = 13

// figure04Layout draws the first run of each method, with the first image and draw.
func figure04Layout(r *Result) (*viz.Figure, error) {
	var figures []*viz.Figure
	for i, method := range r.Figure.Methods {
		figure, err := r.ImplicitFigure(i, 0, 0)
		if err != nil {
			return nil, err
		}
		figures = append(figures, figure.Titled(fmt.Sprintf("%s, seed %d", method.Name, r.Runs[i].Seed)))
	}
	return viz.Column(figures...)
}

// normFalls counts the pairs of neighbouring lambdas between which the norm of a search's change falls.
func normFalls(r *Result) (Outcome, string) {
	return r.inEverySearch(func(milder, weaker nbbnn.ImplicitCorruption) bool { return weaker.Norm < milder.Norm })
}

// distanceGrows counts those between which the logits end further from their target.
func distanceGrows(r *Result) (Outcome, string) {
	return r.inEverySearch(func(milder, weaker nbbnn.ImplicitCorruption) bool { return weaker.Distance() > milder.Distance() })
}

// inEverySearch counts the neighbouring lambdas of the same image, draw and run of which something holds. It is a statement on each
// search, so one seed is enough.
func (r *Result) inEverySearch(holds func(smaller, larger nbbnn.ImplicitCorruption) bool) (Outcome, string) {
	pairs, positive := 0, 0
	for _, run := range r.Runs {
		for _, pair := range neighbours(run.Implicit) {
			pairs++
			if holds(pair[0], pair[1]) {
				positive++
			}
		}
	}
	if pairs == 0 {
		return NotEvaluated, "no two lambdas to compare"
	}
	outcome := Holds
	if positive < pairs {
		outcome = Fails
	}
	return outcome, fmt.Sprintf("%d of %d pairs of lambda; %s", positive, pairs, counted(len(r.Runs), "run"))
}

// neighbours are the pairs of neighbouring lambdas of the same image and draw, the smaller lambda first.
func neighbours(all []nbbnn.ImplicitCorruption) (pairs [][2]nbbnn.ImplicitCorruption) {
	ordered := slices.SortedStableFunc(slices.Values(all), func(a, b nbbnn.ImplicitCorruption) int {
		return cmp.Or(cmp.Compare(a.Image, b.Image), cmp.Compare(a.Draw, b.Draw), cmp.Compare(a.Lambda, b.Lambda))
	})
	for i := 1; i < len(ordered); i++ {
		before, c := ordered[i-1], ordered[i]
		if before.Image == c.Image && before.Draw == c.Draw && before.Lambda < c.Lambda {
			pairs = append(pairs, [2]nbbnn.ImplicitCorruption{before, c})
		}
	}
	return pairs
}
