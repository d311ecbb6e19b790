package paper

import (
	"context"
	"fmt"

	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
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

// drawClouds draws the clouds of the drawn image, of the first run of each method, in a row for each
// layer.
func drawClouds(r *Result) (*viz.Figure, error) {
	image, layers, runs := r.Setup.Clouds.shown(), cloudLayers(r), r.Runs[:len(r.methodNames())]
	clean, name, err := r.Setup.testImage(context.Background(), image)
	if err != nil {
		return nil, err
	}
	scatter := viz.CloudScatter{Image: clean.Pixels, Height: clean.Height, Width: clean.Width, ImageName: name}
	var first []layerCloud // of the first layer
	for _, layer := range layers {
		for _, run := range runs {
			for _, cloud := range run.Clouds {
				if cloud.Layer != layer || cloud.Image != image {
					continue
				}
				drawn := cloud.drawn(run.Name())
				if len(layers) > 1 {
					drawn.Name += ", " + layer
				}
				if layer == layers[0] {
					first = append(first, cloud)
				}
				scatter.Clouds = append(scatter.Clouds, drawn)
			}
		}
	}
	scatter.Note = cloudNotes(first)
	if len(layers) > 1 {
		scatter.Columns = len(runs)
		scatter.Note[1] = "Below each panel: versions inside, by severity; “in ten”: near the draws in ten components."
	}
	return scatter.Figure()
}

// drawn returns the cloud as pictures take it.
func (c layerCloud) drawn(name string) viz.Cloud {
	cloud := viz.Cloud{
		Name: name, Draws: planes(c.Draws), Clean: planes([][2]float32{c.Clean})[0], Share: [2]float64(c.Share[:2]),
		Tests: []viz.CloudTest{{Name: nearInTen.name, Short: "in ten"}},
	}
	for _, version := range c.Versions {
		cloud.Corrupted = append(cloud.Corrupted, planes([][2]float32{version.Point})[0])
		cloud.Severity = append(cloud.Severity, version.Severity)
		cloud.Corruption = append(cloud.Corruption, version.Corruption)
		cloud.Tests[0].Inside = append(cloud.Tests[0].Inside, nearInTen.inside(c, version))
	}
	return cloud
}

// cloudNotes explain what is inside, and how much of the variance that leaves out.
func cloudNotes(clouds []layerCloud) []string {
	var two, ten []string
	for _, cloud := range clouds {
		left := 1.0
		for i, share := range cloud.Share {
			if left -= share; i == 1 {
				two = append(two, fmt.Sprintf("%.0f %%", 100*left))
			}
		}
		ten = append(ten, fmt.Sprintf("%.0f %%", 100*left))
	}
	return []string{
		"Filled: in the ellipse. Near the draws: as near to the fifth nearest draw as 99 % of the draws.",
		fmt.Sprintf("Two components leave out %s of the variance of the outputs, ten leave out %s.", join(two), join(ten)),
	}
}
