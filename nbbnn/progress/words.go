package progress

import (
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Part is one piece of an update in words.
type Part struct {
	Text string
	Rank int // where room is short, the part with the highest rank goes first; rank 0 always stays
}

// Parts returns the update in words: the phase with the run's name, what is at work, and the rate,
// such as "train    M32 seed 2", "epoch 3/12", "loss 0.412", "entropy 81.3", "training error 9.1%",
// "1,480 img/s".
func (u Update) Parts() []Part {
	parts := []Part{{fmt.Sprintf("%-8s %s", u.Phase, u.Title()), 0}}
	for i, text := range u.details() {
		parts = append(parts, Part{text, 1 + 2*i})
	}
	if u.Rate > 0 {
		parts = append(parts, Part{quantity.Thousands(u.Rate) + " img/s", 8})
	}
	return parts
}

// details returns what is at work, the most important part first.
func (u Update) details() []string {
	switch {
	case u.Epochs > 0:
		return []string{
			fmt.Sprintf("epoch %d/%d", u.Epoch, u.Epochs), fmt.Sprintf("loss %.3f", u.Loss),
			fmt.Sprintf("entropy %.1f", u.Entropy), fmt.Sprintf("training error %.1f%%", 100*u.Error),
		}
	case u.Images > 0:
		return []string{fmt.Sprintf("image %d/%d", u.Image, u.Images), fmt.Sprintf("step %d", u.Step)}
	case u.Layer != "":
		return []string{u.Layer, fmt.Sprintf("draw %d/%d", u.Done, u.Total)}
	case u.Samples > 0:
		return []string{fmt.Sprintf("weights %d/%d", u.Sample, u.Samples), "batch normalisation"}
	case u.Severity > 0:
		return []string{fmt.Sprintf("%s %d", u.Corruption, u.Severity)}
	case u.Corruption != "":
		return []string{u.Corruption}
	}
	return nil
}

// Counted returns which of the runs is trained, how many cells of all runs are tested, or how much
// of the only run is done, such as "2/4" or "37%".
func (u Update) Counted() string {
	switch {
	case u.Phase == "test":
		return fmt.Sprintf("%d/%d", (max(1, u.Place)-1)*u.Total+u.Done, max(1, u.Runs)*u.Total)
	case u.Runs > 1:
		return fmt.Sprintf("%d/%d", u.Place, u.Runs)
	default:
		return fmt.Sprintf("%.0f%%", 100*u.Fraction())
	}
}

// Join returns the parts as one line.
func Join(parts []Part) string {
	texts := make([]string, len(parts))
	for i, part := range parts {
		texts[i] = part.Text
	}
	return strings.Join(texts, "   ")
}
