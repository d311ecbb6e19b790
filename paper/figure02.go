package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// figure02 is Figure 2 of the paper: the last layer's outputs of M16 and M32 for one image under
// draws of the latents, and the mean outputs for its corrupted versions. The runs are those of
// Figure03. The paper shows one image; the claims count over several.
var figure02 = Figure{
	Number:   2,
	Title:    "Wider noise covers the shifts that corruptions cause in the outputs",
	Headline: cloudHeadline("Outputs under noise and under corruption"),
	Runs:     func(scale Scale) Setup { return cloudRuns(scale, 20, 0) },
	Collect:  cloudMeasurement{},
	Draw:     drawClouds,
	Claims:   cloudClaims,
}

// figure12 is Figure 12 of the paper: figure02 for the first two and the last two layers.
var figure12 = Figure{
	Number:   12,
	Title:    "In every layer wider noise covers more of the shifts that corruptions cause",
	Headline: cloudHeadline("Outputs of four layers under noise and under corruption"),
	Runs:     func(scale Scale) Setup { return cloudRuns(scale, 20, 1, 2, 7, 8) },
	Collect:  cloudMeasurement{},
	Draw:     drawClouds,
	Claims:   cloudClaims,
}

func cloudHeadline(shows string) Headline {
	return Headline{
		Shows:   shows,
		Claimed: "Wider noise covers more severe corruptions", Opposite: "Wider noise covers fewer severe corruptions",
		Between: "in how many severe corruptions narrow and wide noise cover",
	}
}

// cloudRuns is allCNNC with clouds of some layers for the first test images. The horse of Figure04
// is drawn at the scales with CIFAR-10.
func cloudRuns(scale Scale, images int, layers ...int) Setup {
	setup := allCNNC(scale)
	setup.Clouds = CloudSettings{Layers: layers, First: max(0, firstHorse+1-images), Images: images, Shown: firstHorse}
	switch scale {
	case Smoke:
		setup.Clouds.First, setup.Clouds.Images, setup.Clouds.Shown = 1, 1, 1
	case Paper:
		setup.Seeds = FirstSeeds(3)
	case Quick, Desk:
	default:
		return Setup{}
	}
	return setup
}

// mildSeverities and severeSeverities are those that the claims on clouds tell apart.
var (
	mildSeverities   = []int{1, 2, 3}
	severeSeverities = []int{4, 5}
)

// cloudClaims are those of Figures 2 and 12 (METHOD.md section 6), each over all layers and images.
var cloudClaims = []Claim{
	paperSays("M32 has more severe versions inside the ellipse than M16",
		averaged("M32 - M16, mean of severities 4 and 5", moreInside(inEllipse, 0, severeSeverities...))).asPrimary(0).of(figure03Methods...),
	paperSays("M32 has no fewer mild versions inside, but for one",
		moreInside(inEllipse, 1, mildSeverities...)).of(figure03Methods...),
	paperSays("most mild versions are inside for both", mostInside).of(figure03Methods...),
	weAsk("M32 has more severe versions near the draws than M16",
		moreInside(nearDraws, 0, severeSeverities...)).of(figure03Methods...),
	weAsk("M32 has more severe versions near the draws in 10 components",
		moreInside(nearInTen, 0, severeSeverities...)).of(figure03Methods...),
}

// moreInside compares M32 and M16 in how many corrupted versions of an image are inside, on
// average. With an allowance the claim says that M32 has fewer by less than that.
func moreInside(test cloudTest, allowance float64, severities ...int) func(*Result) []Effect {
	name := "M32 - M16"
	if allowance > 0 {
		name += fmt.Sprintf(" + %g", allowance)
	}
	return func(r *Result) (effects []Effect) {
		for _, layer := range cloudLayers(r) {
			a, b := insideMeans(r, "M32", layer, test), insideMeans(r, "M16", layer, test)
			for _, severity := range severities {
				difference := plus(differences(column(a, severity), column(b, severity)), allowance)
				effects = append(effects, newEffect(fmt.Sprintf("%s in %s at severity %d", name, layer, severity), ofVersions(r), aboveZero, difference))
			}
		}
		return effects
	}
}

// mostInside compares the number of mild versions inside the ellipse with half of all.
func mostInside(r *Result) (effects []Effect) {
	half := float64(versionCount(r.Setup)) / (score.LevelCount - 1) / 2
	for _, layer := range cloudLayers(r) {
		for _, method := range figure03Methods {
			counts := insideMeans(r, method, layer, inEllipse)
			for _, severity := range mildSeverities {
				name := fmt.Sprintf("%s in %s at severity %d - %g", method, layer, severity, half)
				effects = append(effects, newEffect(name, ofVersions(r), aboveZero, plus(column(counts, severity), -half)))
			}
		}
	}
	return effects
}

func plus(values []float64, number float64) []float64 {
	for i := range values {
		values[i] += number
	}
	return values
}

// ofVersions is the unit of counts, such as "of 19 versions".
func ofVersions(r *Result) string {
	return "of " + counted(versionCount(r.Setup)/(score.LevelCount-1), "version")
}
