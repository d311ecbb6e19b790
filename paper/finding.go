package paper

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// headline words the title of a figure, which states the verdict of its primary claim. The zero
// Headline gives a title without a finding.
type headline struct {
	// title without a finding, for example "Entropy during training and NLL under corruption"
	Shows    string
	Subject  bool   // Shows is followed by the network and the data of the set-up
	Claimed  string // the finding if the claim holds, for example "Wider noise lowers the NLL"
	Opposite string // the finding if the opposite holds, for example "Wider noise raises the NLL"
	// the difference, if none is found, for example "in NLL between M16 and M32"
	Between string
	// meaning of the methods' names, as a sentence; "" if obvious
	Names string
}

// findingOf states the verdicts' result at a scale in one sentence, the title of the figure. It
// follows from the verdict on the headline's claim.
func findingOf(f Figure, scale Scale, verdicts Verdicts) string {
	h := f.headline
	if h.Subject {
		h.Shows += ": " + f.Runs(scale).subject()
	}
	if h.Shows == "" {
		h.Shows = fmt.Sprintf("Figure %d of the paper", f.Number)
	}
	if !scale.judges() {
		return h.Shows + " (an illustration)"
	}
	v, found := verdicts.primary()
	if !found || h.Claimed == "" {
		return h.Shows
	}
	switch v.Outcome {
	case Holds:
		return h.Claimed
	case Fails:
		return h.Opposite
	case Undecided:
		return "No difference found " + h.Between
	case Seen:
		return h.seen(v)
	}
	return fmt.Sprintf("%s: %s", h.Shows, v.Outcome)
}

// seen returns the finding of a verdict with too few seeds for an interval.
func (h headline) seen(v Verdict) string {
	agreeing, seeds := agreement(v.Effects)
	text, of := h.Shows, fmt.Sprintf("%d of ", agreeing)
	switch agreeing {
	case seeds:
		text, of = h.Claimed, ""
	case 0:
		text, of = h.Opposite, ""
	}
	return fmt.Sprintf("%s: seen in %s%s, not decided", text, of, counted(seeds, "seed"))
}

// primary returns the verdict that answers the figure: with several rows of panels, the last row's.
func (v Verdicts) primary() (primary Verdict, found bool) {
	for _, verdict := range v {
		if verdict.Primary {
			primary, found = verdict, true
		}
	}
	return primary, found
}

// subtitles returns the lines below the title: the effect that the title follows from, and what was
// trained.
func subtitles(r *Result, verdicts Verdicts) (lines []string) {
	if v, found := verdicts.primary(); found && len(v.Effects) > 0 {
		lines = append(lines, strings.ReplaceAll(v.line(v.Effects[0]), " - ", " − "))
	}
	subject := r.subject()
	if names := r.Figure.headline.Names; names != "" {
		subject += ". " + names
	}
	return append(lines, subject)
}

// subjectNetwork returns "All-CNN-C (width 24 of the published 96)".
func subjectNetwork(config nbbnn.Config) string {
	name := titleOf(config.Network.Name)
	published := nbbnn.Config{
		Network: nbbnn.Network{Name: config.Network.Name}}.WithDefaults().Network.Width
	if config.Network.Width == published || config.Network.Width == 0 || published == 0 {
		return name
	}
	return fmt.Sprintf("%s (width %d of the published %d)", name, config.Network.Width, published)
}

// subjectData returns "all training data of CIFAR-10" or "500 training images of Shapes10".
func subjectData(config nbbnn.Config) string {
	text := "all training data of " + titleOf(config.Data.Name)
	if config.Data.Train > 0 {
		text = fmt.Sprintf("%s of %s", counted(config.Data.Train, "training image"),
			titleOf(config.Data.Name))
	}
	if config.Data.Validation > 0 {
		text += fmt.Sprintf(" but %d held out", config.Data.Validation)
	}
	return text
}

// titles are the names of networks and data sets as people write them.
var titles = map[string]string{
	"allcnnc": "All-CNN-C", "vgg16": "VGG16", "resnet18": "ResNet18",
	"preactresnet18": "PreActResNet18",
	"cifar10":        "CIFAR-10", "cifar100": "CIFAR-100", "tinyimagenet": "Tiny ImageNet",
	"shapes10": "Shapes10", "shapes10-bright": "Shapes10 (bright)",
	"plane": "Two hidden layers of 16 nodes", "pinwheel": "Pinwheel",
}

// titleOf returns the written name of a network or a data set, or the name itself.
func titleOf(name string) string {
	if title, found := titles[name]; found {
		return title
	}
	return name
}

// join returns "M16, M32 and M64".
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// seedsText returns "seed 1", "seeds 1 2" or, from five on, "seeds 1 to 25".
func seedsText(seeds []uint64) string {
	switch {
	case len(seeds) == 1:
		return fmt.Sprintf("seed %d", seeds[0])
	// none appears twice
	case len(seeds) >= 5 && seeds[len(seeds)-1]-seeds[0] == uint64(len(seeds)-1):
		return fmt.Sprintf("seeds %d to %d", seeds[0], seeds[len(seeds)-1])
	}
	return "seeds " + quantity.Spaced(seeds)
}

// counted returns "1 image" or "1000 images": quantity.Count without commas, as in captions.
func counted(count int, what string) string {
	return strconv.Itoa(count) + " " + quantity.Noun(count, what)
}

// percent returns "3%" or "3.2%".
func percent(fraction float64) string {
	text := fmt.Sprintf("%.1f", 100*fraction)
	return strings.TrimSuffix(text, ".0") + "%"
}
