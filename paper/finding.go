package paper

import (
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// Headline words the title of a figure, which states what its runs show. The zero Headline gives a
// title that counts the verdicts.
type Headline struct {
	Shows    string // what is drawn, without a finding, such as "Entropy during training and NLL under corruption"
	Subject  bool   // Shows is followed by the network and the data of the set-up
	Claim    string // Text of the claim that the title answers
	Claimed  string // the finding if the claim holds, such as "Wider noise lowers the NLL"
	Opposite string // the finding if the opposite holds, such as "Wider noise raises the NLL"
	Between  string // what has no difference if none is found, such as "in NLL between M16 and M32"
	Each     string // what the claim's effects are counted in, such as "levels"
	Names    string // what the names of the methods mean, as a sentence; "" if they say it themselves
}

// findingOf returns the title for the verdicts at a scale.
func findingOf(f Figure, scale Scale, verdicts Verdicts) string {
	h := headlineOf(f, scale)
	shows := h.Shows
	if shows == "" {
		shows = fmt.Sprintf("Figure %d of the paper", f.Number)
	}
	if !scale.judges() {
		return shows + " (an illustration)"
	}
	at := slices.IndexFunc(verdicts, func(v Verdict) bool { return h.Claim != "" && v.Claim == h.Claim })
	if at < 0 {
		return shows + verdicts.counted()
	}
	switch v := verdicts[at]; v.Outcome {
	case Holds, Fails, Undecided:
		return h.decided(v)
	case Seen:
		return h.seen(v)
	default:
		return fmt.Sprintf("%s: %s", shows, v.Outcome)
	}
}

// headlineOf returns the headline at a scale, whose runs may have another network than the paper's.
func headlineOf(f Figure, scale Scale) Headline {
	h := f.Headline
	if h.Subject {
		h.Shows += ": " + f.Runs(scale).subject()
	}
	return h
}

// decided is the finding of a verdict with intervals.
func (h Headline) decided(v Verdict) string {
	holding, failing, _ := tally(v.Effects)
	if v.Outcome == Undecided {
		failing = 0 // so few of so many are there by chance
	}
	switch {
	case holding == 0 && failing == 0:
		return "No difference found " + h.Between
	case failing == 0:
		return h.Claimed + h.where(holding, len(v.Effects))
	case holding == 0:
		return h.Opposite + h.where(failing, len(v.Effects))
	}
	return fmt.Sprintf("%s%s, the opposite %s %d", h.Opposite, h.where(failing, len(v.Effects)), h.at(), holding)
}

// seen is the finding of a verdict with too few seeds for intervals.
func (h Headline) seen(v Verdict) string {
	var opposite []Effect
	for _, e := range v.Effects {
		e.Claimed = e.Claimed.other()
		opposite = append(opposite, e)
	}
	text := h.Shows
	if agreeing, seeds := agreement(v.Effects); agreeing == seeds {
		text = h.Claimed
	} else if agreeing, seeds = agreement(opposite); agreeing == seeds {
		text = h.Opposite
	}
	return fmt.Sprintf("%s: seen in %s, not decided", text, counted(v.seeds(), "seed"))
}

// where says at how many of all comparisons something was found.
func (h Headline) where(found, all int) string {
	switch {
	case all == 1:
		return ""
	case found == all:
		if all == 2 {
			return " " + h.at() + " both " + h.Each
		}
		return fmt.Sprintf(" %s all %d %s", h.at(), all, h.Each)
	}
	return fmt.Sprintf(" %s %d of %d %s", h.at(), found, all, h.Each)
}

// at is the preposition of what the effects are counted in.
func (h Headline) at() string {
	if h.Each == "comparisons" {
		return "in"
	}
	return "at"
}

// of is the outcome as the predicate of a number of claims, such as "hold" of two.
func (o Outcome) of(claims int) string {
	switch {
	case o == Seen:
		return "not decided"
	case claims > 1 && (o == Holds || o == Fails):
		return strings.TrimSuffix(string(o), "s")
	}
	return string(o)
}

// counted is such as ", claims: 2 hold, 1 fails"; "" without verdicts.
func (v Verdicts) counted() string {
	counts := map[Outcome]int{}
	for _, verdict := range v {
		counts[verdict.Outcome]++
	}
	var parts []string
	for _, outcome := range []Outcome{Holds, Fails, Undecided, Seen, NotTrained, NotEvaluated} {
		if n := counts[outcome]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, outcome.of(n)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return ", claims: " + strings.Join(parts, ", ")
}

// subtitles are the lines below the title: the effect that the title follows from, and what was
// trained.
func subtitles(r *Result) (lines []string) {
	if v, found := headlineVerdict(r); found {
		_, last := v.telling()
		lines = append(lines, strings.ReplaceAll(v.line(last), " - ", " − "))
	}
	subject := r.Subject()
	if names := r.Figure.Headline.Names; names != "" {
		subject += ". " + names
	}
	return append(lines, subject)
}

// subjectNetwork is such as "All-CNN-C (a quarter of the published width)".
func subjectNetwork(config nbbnn.Config) string {
	name := titleOf(config.Network.Name)
	published := nbbnn.Config{Network: nbbnn.Network{Name: config.Network.Name}}.WithDefaults().Network.Width
	if config.Network.Width == published || config.Network.Width == 0 || published == 0 {
		return name
	}
	return fmt.Sprintf("%s (%s of the published width)", name, fraction(config.Network.Width, published))
}

// fraction is such as "a quarter", "1/6" or "2/3".
func fraction(part, whole int) string {
	switch {
	case 2*part == whole:
		return "half"
	case 4*part == whole:
		return "a quarter"
	case part > 0 && whole%part == 0:
		return fmt.Sprintf("1/%d", whole/part)
	}
	return fmt.Sprintf("%d/%d", part, whole)
}

// subjectData is such as "all training images of CIFAR-10" or "500 training images of Shapes10".
func subjectData(config nbbnn.Config) string {
	text := "all training images of " + titleOf(config.Data.Name)
	if config.Data.Train > 0 {
		text = fmt.Sprintf("%s of %s", counted(config.Data.Train, "training image"), titleOf(config.Data.Name))
	}
	if config.Data.Validation > 0 {
		text += fmt.Sprintf(" but %d held out", config.Data.Validation)
	}
	return text
}

// titles are the names of networks and data sets as people write them.
var titles = map[string]string{
	"allcnnc": "All-CNN-C", "vgg16": "VGG16", "resnet18": "ResNet18", "preactresnet18": "PreActResNet18",
	"cifar10": "CIFAR-10", "cifar100": "CIFAR-100", "tinyimagenet": "Tiny ImageNet", "shapes10": "Shapes10", "shapes10-bright": "Shapes10 (bright)",
	"plane": "Two hidden layers of 16 nodes", "pinwheel": "Pinwheel",
}

// titleOf returns the written name of a network or a data set, or the name itself.
func titleOf(name string) string {
	if title, found := titles[name]; found {
		return title
	}
	return name
}
