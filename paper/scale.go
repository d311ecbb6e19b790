package paper

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/nbbnn"
)

// Scale says how much of a figure's experiment is done.
type Scale string

// The scales. All of them run the same code.
const (
	Smoke  Scale = "smoke"  // Shapes10 and narrow networks: a minute or two on any laptop
	Laptop Scale = "laptop" // a part of CIFAR-10 and narrow networks: up to an hour or two on two cores
	Full   Scale = "paper"  // everything as in the paper: days on a GPU
)

// Scales returns all scales, the smallest first.
func Scales() []Scale { return []Scale{Smoke, Laptop, Full} }

// ParseScale returns the scale with the given name.
func ParseScale(name string) (Scale, error) {
	var names []string
	for _, scale := range Scales() {
		if string(scale) == name {
			return scale, nil
		}
		names = append(names, string(scale))
	}
	return "", fmt.Errorf("paper: unknown scale %q%s: the scales are %s", name, nearest.Hint(name, names), strings.Join(names, ", "))
}

// Setup is what all runs of a figure share at one scale.
type Setup struct {
	Config     nbbnn.Config     // of every run, but for what its method and its seed change
	Seeds      []uint64         // one run of each method for each of them
	Evaluation nbbnn.Evaluation // of every trained run
	Implicit   nbbnn.Implicit   // of every trained run of a figure on implicit corruptions, in place of Evaluation; the zero one has no lambda
}

// allCNNC returns the set-up of the figures on All-CNN-C and CIFAR-10 (METHOD.md section 4), the zero one for a scale that there
// isn't. The two small scales take one sample an image, small batches and no augmentation, which makes a narrow network fit
// a few images soonest: the claims can be asked at a training error of a few percent (METHOD.md 4.2).
func allCNNC(scale Scale) Setup {
	switch scale {
	case Smoke:
		return Setup{
			Config: nbbnn.Config{
				Network: nbbnn.Network{Name: "allcnnc", Width: 16},
				Data:    nbbnn.Data{Name: "shapes10", Train: 500, Test: 128},
				Training: nbbnn.Training{
					Epochs: 100, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.02, NoAugmentation: true,
				},
			},
			Seeds:      FirstSeeds(2),
			Evaluation: nbbnn.Evaluation{Suite: "first8", Samples: 8},
		}
	case Laptop:
		return Setup{
			Config: nbbnn.Config{
				Network: nbbnn.Network{Name: "allcnnc", Width: 24},
				Data:    nbbnn.Data{Name: "cifar10", Train: 4000, Test: 1000},
				Training: nbbnn.Training{
					Epochs: 60, Batch: 16, Samples: 1, LearningRate: 0.02, PosteriorLearningRate: 0.02, NoAugmentation: true,
				},
			},
			Seeds:      FirstSeeds(2),
			Evaluation: nbbnn.Evaluation{Suite: "first8", Samples: 16, Images: 500},
		}
	case Full:
		return Setup{
			Config:     nbbnn.PaperAllCNNC(0.32), // M replaces the standard deviation
			Seeds:      FirstSeeds(25),
			Evaluation: nbbnn.Evaluation{Suite: "all19", Samples: 32},
		}
	default:
		return Setup{} // Figure.Validate refuses other scales
	}
}

// FirstSeeds returns the seeds 1 to count.
func FirstSeeds(count int) []uint64 {
	seeds := make([]uint64, count)
	for i := range seeds {
		seeds[i] = uint64(i + 1)
	}
	return seeds
}
