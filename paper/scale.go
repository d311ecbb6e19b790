package paper

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/nearest"
)

// Scale says how much of a figure's experiment is done.
type Scale string

// The scales. All of them run the same code. The regimes of quick and desk are chosen by the gap of
// their least noisy network, clean test NLL minus training NLL: noise can win at most that
// (METHOD.md 4.3).
const (
	Smoke Scale = "smoke" // Shapes10 (bright) and a narrow All-CNN-C: a minute or two on any laptop; it judges no claim
	Quick Scale = "quick" // few images and a narrow ResNet18: five seeds in minutes on two cores
	Desk  Scale = "desk"  // 10,000 images, or all images at the published width: hours on two cores
	Paper Scale = "paper" // everything as in the paper: days on a GPU
)

// Scales returns all scales, the smallest first.
func Scales() []Scale { return []Scale{Smoke, Quick, Desk, Paper} }

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

// judges reports whether claims are decided at the scale. The smoke scale was chosen among others
// by looking at its figures, so it only shows what they look like.
func (s Scale) judges() bool { return s != Smoke }

// hasLongRuns reports whether a run takes so long that each seed is finished before the next
// begins.
func (s Scale) hasLongRuns() bool { return s == Desk || s == Paper }
