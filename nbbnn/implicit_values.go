package nbbnn

import (
	"github.com/gomlx/gomlx/core/tensors"
)

// implicitValues are what a search found for images, and what is kept of it for one.
type implicitValues struct {
	target  []float32 // [images, draws, classes]
	reached []float32 // [images, draws, lambdas, classes]
	change  []float32 // [images, draws, lambdas, height, width, 3], in pixels of 0 to 1
	steps   []float32 // [images, draws, lambdas]
}

// values reads what a search found from the engine.
func (s *implicitWork) values(targets, reached *tensors.Tensor, f found) (v implicitValues, err error) {
	for _, read := range []struct {
		from *tensors.Tensor
		to   *[]float32
	}{{targets, &v.target}, {reached, &v.reached}, {f.change, &v.change}} {
		if *read.to, err = tensors.CopyFlatData[float32](read.from); err != nil {
			return v, err
		}
	}
	for i := range v.change {
		v.change[i] *= float32(s.model.Std[i%3])
	}
	for _, steps := range f.steps {
		v.steps = append(v.steps, float32(steps))
	}
	return v, nil
}

// part is one of so many equal parts, such as what belongs to one of so many images.
func (v implicitValues) part(index, count int) implicitValues {
	of := func(values []float32) []float32 {
		size := len(values) / count
		return values[index*size:][:size]
	}
	return implicitValues{of(v.target), of(v.reached), of(v.change), of(v.steps)}
}

// corruptions are those of one image.
func (s *implicitWork) corruptions(image int, v implicitValues) (all []ImplicitCorruption) {
	clean := s.images.Slice(image, image+1)
	for draw := range s.settings.Draws {
		for i, lambda := range s.settings.Lambda {
			at, count := draw*len(s.settings.Lambda)+i, s.settings.problems()
			own := v.part(at, count)
			c := ImplicitCorruption{
				Image: image, Draw: draw, Lambda: lambda, Height: clean.Height, Width: clean.Width, Clean: clean.Pixels,
				Change: own.change, Reached: own.reached, Steps: int(own.steps[0]),
				Target: v.part(draw, s.settings.Draws).target,
			}
			c.Norm = s.settings.Space.length(c.Change, s.model.Std)
			all = append(all, c)
		}
	}
	return all
}
