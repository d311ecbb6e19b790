package paper

import (
	"fmt"
	"math"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/viz"
)

// isImplicit says whether the figure is about implicit corruptions.
func (s Setup) isImplicit() bool { return len(s.Implicit.Lambda) > 0 }

// checkImplicit checks the settings for the filled configuration of a run.
func (s Setup) checkImplicit(config nbbnn.Config) error {
	settings := s.Implicit.WithDefaults(config.Posterior.Components)
	if _, test := imageCounts(config.Data); settings.First+settings.Images > test {
		return fmt.Errorf("paper: the test images %d to %d are asked for, the runs have %d: lower the numbers", settings.First, settings.First+settings.Images-1, test)
	}
	return settings.Validate(config.Posterior.Components)
}

// implicitText describes the search, such as "implicit corruptions of 1 image, 2 draws, lambda 0.03 0.1 0.3".
func (s Setup) implicitText() string {
	settings := s.Implicit.WithDefaults(s.Config.WithDefaults().Posterior.Components)
	return fmt.Sprintf("implicit corruptions of %s, %s, lambda %s", counted(settings.Images, "image"), counted(settings.Draws, "draw"), numbersText(settings.Lambda))
}

// ofLambda returns what is measured of the implicit corruptions of a run, its mean over images and draws for each lambda.
func (r RunResult) ofLambda(measure func(nbbnn.ImplicitCorruption) float64) []float64 {
	lambdas := 0
	for lambdas < len(r.Implicit) && (lambdas == 0 || r.Implicit[lambdas].Lambda != r.Implicit[0].Lambda) {
		lambdas++
	}
	means := make([]float64, lambdas)
	for i, corruption := range r.Implicit {
		means[i%lambdas] += measure(corruption) * float64(lambdas) / float64(len(r.Implicit))
	}
	return means
}

// ImplicitFigure draws an implicit corruption for each lambda of one image under one draw, both counted from 0 among those sought: a
// run's, counted from 0 in the order of Figure.Open.
func (r *Result) ImplicitFigure(run, image, draw int) (*viz.Figure, error) {
	if run < 0 || run >= len(r.Runs) {
		return nil, fmt.Errorf("paper: run %d of %d: count from 0", run, len(r.Runs))
	}
	if len(r.Runs[run].Implicit) == 0 {
		return nil, fmt.Errorf("paper: figure %d has no implicit corruptions yet: Figure.Evaluate finds them", r.Figure.Number)
	}
	var picture viz.Implicit
	for _, c := range r.Runs[run].Implicit {
		if c.Image != r.Setup.Implicit.First+image || c.Draw != draw {
			continue
		}
		picture.Height, picture.Width, picture.Image = c.Height, c.Width, unit(c.Clean)
		picture.Lambda = append(picture.Lambda, c.Lambda)
		picture.Masks = append(picture.Masks, float64s(c.Change))
	}
	if picture.Image == nil {
		return nil, fmt.Errorf("paper: no implicit corruptions of image %d, draw %d: count both from 0", image, draw)
	}
	return viz.ImplicitCorruptions(picture)
}

// unit maps bytes to 0 to 1.
func unit(pixels []uint8) []float64 {
	values := make([]float64, len(pixels))
	for i, pixel := range pixels {
		values[i] = float64(pixel) / math.MaxUint8
	}
	return values
}

func float64s(values []float32) []float64 {
	result := make([]float64, len(values))
	for i, value := range values {
		result[i] = float64(value)
	}
	return result
}
