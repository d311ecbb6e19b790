package paper

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// figure02 is Figure 2 of the paper: the last layer's outputs of M16 and M32 for one image under
// draws of the latents, and the mean outputs for its corrupted versions. The runs are Figure03's.
// The paper shows one image; the claims count over several. figure12 is Figure 12: the same for the
// first two and the last two layers.
var (
	figure02 = cloudFigure(2, "Wider noise covers the shifts that corruptions cause in the outputs",
		"Outputs under noise and under corruption", 0)
	figure12 = cloudFigure(12, "In every layer wider noise covers more of the shifts that "+
		"corruptions cause", "Outputs of four layers under noise and under corruption", 1, 2, 7, 8)
)

func cloudFigure(number int, title, shows string, layers ...int) Figure {
	figure := Figure{
		Number: number,
		Title:  title,
		headline: headline{
			Shows:    shows,
			Claimed:  "Wider noise covers more severe corruptions",
			Opposite: "Wider noise covers fewer severe corruptions",
			Between:  "in how many severe corruptions narrow and wide noise cover",
		},
		Runs:    func(scale Scale) Setup { return cloudRuns(scale, layers) },
		collect: cloudMeasurement{},
		draw:    drawClouds,
		claims:  cloudClaims,
	}
	if len(layers) > 2 {
		figure.whole = drawAllClouds
	}
	return figure
}

// cloudRuns is allCNNC with clouds of some layers for 20 of the first test images. The horse of
// figure04 is drawn at the scales with CIFAR-10.
func cloudRuns(scale Scale, layers []int) Setup {
	setup := allCNNC(scale)
	setup.Clouds = CloudSettings{Layers: layers, Images: 20, Shown: firstHorse}
	switch scale {
	case Smoke:
		setup.Clouds.First, setup.Clouds.Images = 1, 1
	case Paper:
		setup.Seeds = quantity.FirstSeeds(3)
	}
	return setup
}

// The claims on clouds distinguish mildSeverities and severeSeverities.
var (
	mildSeverities   = []int{1, 2, 3}
	severeSeverities = []int{4, 5}
)

// cloudClaims belong to Figures 2 and 12 (METHOD.md section 6), each over all layers and images.
var cloudClaims = []claim{
	paperSays("M32 has more severe versions inside the ellipse than M16",
		moreInside(inEllipse, 0, severeSeverities...).averaged(
			"M32 - M16, mean of severities 4 and 5")).asPrimary(0).of(figure03Methods...),
	paperSays("M32 has no fewer mild versions inside, but for one",
		moreInside(inEllipse, 1, mildSeverities...)).of(figure03Methods...),
	paperSays("most mild versions are inside for both", mostInside).of(figure03Methods...),
	weAsk("M32 has more severe versions near the draws than M16",
		moreInside(nearDraws, 0, severeSeverities...)).of(figure03Methods...),
	weAsk("M32 has more severe versions near the draws in 10 components",
		moreInside(nearInTen, 0, severeSeverities...)).of(figure03Methods...),
}

// moreInside compares M32 and M16 in how many corrupted versions of an image are inside, on
// average. With an allowance the claim is that M32 has fewer by less than that.
func moreInside(test cloudTest, allowance float64, severities ...int) contrast {
	name := "M32 - M16"
	if allowance > 0 {
		name += fmt.Sprintf(" + %g", allowance)
	}
	return func(r *Result) (effects []Effect) {
		for _, layer := range r.Setup.cloudLayers() {
			a, b := insideMeans(r, "M32", layer, test), insideMeans(r, "M16", layer, test)
			for _, severity := range severities {
				effects = append(effects, insideEffect(r, name, layer, severity,
					differences(column(a, severity), column(b, severity)), allowance))
			}
		}
		return effects
	}
}

// mostInside compares the number of mild versions inside the ellipse with half of all.
func mostInside(r *Result) (effects []Effect) {
	half := float64(len(r.Setup.cloudSuite().Corruptions)) / 2
	for _, layer := range r.Setup.cloudLayers() {
		for _, method := range figure03Methods {
			counts := insideMeans(r, method, layer, inEllipse)
			for _, severity := range mildSeverities {
				effects = append(effects, insideEffect(r, fmt.Sprintf("%s - %g", method, half),
					layer, severity, column(counts, severity), -half))
			}
		}
	}
	return effects
}

// insideEffect claims that numbers of versions, with another added to each, are above zero.
func insideEffect(r *Result, name, layer string, severity int, counts []float64,
	added float64) Effect {
	floats.AddConst(added, counts)
	unit := "of " + counted(len(r.Setup.cloudSuite().Corruptions), "version")
	return newEffect(fmt.Sprintf("%s in %s at severity %d", name, layer, severity), unit, aboveZero,
		counts)
}

// drawClouds draws the first layer and the last.
func drawClouds(r *Result) (*viz.Figure, error) {
	layers := r.Setup.cloudLayers()
	if last := len(layers) - 1; last > 1 {
		layers = []string{layers[0], layers[last]}
	}
	return cloudsOf(r, layers)
}

func drawAllClouds(r *Result) (*viz.Figure, error) { return cloudsOf(r, r.Setup.cloudLayers()) }

// cloudsOf draws the clouds of the drawn image, of the first run of each method, in a row for each
// layer.
func cloudsOf(r *Result, layers []string) (*viz.Figure, error) {
	image, runs := r.Setup.Clouds.Shown, r.Runs[:len(r.methodNames())]
	if settings := r.Setup.Clouds; image < settings.First ||
		image >= settings.First+settings.Images {
		image = settings.First
	}
	clean, name, err := r.Setup.testImage(context.Background(), image)
	if err != nil {
		return nil, err
	}
	scatter := viz.CloudScatter{Image: clean.Pixels, Height: clean.Height, Width: clean.Width,
		ImageName: name}
	var first []layerCloud // of the first layer
	for _, layer := range layers {
		for _, run := range runs {
			cloud := run.Clouds[slices.IndexFunc(run.Clouds, func(c layerCloud) bool {
				return c.Layer == layer && c.Image == image
			})]
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
	scatter.Note = cloudNotes(first)
	if len(layers) > 1 {
		scatter.Columns = len(runs)
		scatter.Note[1] = "Below each panel: versions inside, by severity; “in ten”: near the " +
			"draws in ten components."
	}
	return scatter.Figure()
}

// drawn returns the cloud as pictures take it.
func (c layerCloud) drawn(name string) viz.Cloud {
	cloud := viz.Cloud{
		Name: name, Draws: planes(c.Draws), Clean: planes([][2]float32{c.Clean})[0],
		Share: [2]float64(c.Share[:2]),
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

// cloudNotes explain the versions inside, and the variance that isn't drawn.
func cloudNotes(clouds []layerCloud) []string {
	var two, ten []string
	for _, cloud := range clouds {
		two = append(two, fmt.Sprintf("%.0f %%", 100*(1-floats.Sum(cloud.Share[:2]))))
		ten = append(ten, fmt.Sprintf("%.0f %%", 100*(1-floats.Sum(cloud.Share))))
	}
	return []string{
		"Filled: in the ellipse. Near the draws: as near to the fifth nearest draw as 99 % of " +
			"the draws.",
		fmt.Sprintf("Two components leave out %s of the variance of the outputs, ten leave out %s.",
			join(two), join(ten)),
	}
}

// insideMeans returns for each seed of a method the mean number of versions of an image that are
// inside, by severity, [seeds][severity 0 to 5]. Severity 0 counts nothing.
func insideMeans(r *Result, method, layer string, test cloudTest) [][]float64 {
	return r.series(method, func(run RunResult) []float64 {
		var counts [][]float64
		for _, cloud := range run.Clouds {
			if inside := cloud.inside(test); cloud.Layer == layer {
				counts = append(counts, inside[:])
			}
		}
		means, _ := meansAndStds(summarise(counts))
		return means
	})
}

// numbers has the mean number of versions of an image inside, by severity. The CSV file has a row
// for each image, with the shares of the variance by component.
func (cloudMeasurement) numbers(r *Result) numbers {
	n := numbers{
		what: fmt.Sprintf("inside, of %d", r.Setup.versionCount()/(score.LevelCount-1)),
		at:   "severity",
		rows: [][]string{
			strings.Split(
				"method,seed,layer,image,test,severity_1,severity_2,severity_3,severity_4,severity_5,variance", ",")},
	}
	for _, layer := range r.Setup.cloudLayers() {
		for _, test := range cloudTests {
			for _, method := range r.methodNames() {
				inside := insideMeans(r, method, layer, test)
				for seed := range inside {
					inside[seed] = inside[seed][1:]
				}
				n.lines = append(n.lines, r.line(test.name+", "+layer, method,
					strings.Fields("1 2 3 4 5"), 1, inside))
			}
		}
	}
	for _, run := range r.Runs {
		for _, cloud := range run.Clouds {
			for _, test := range cloudTests {
				c := cloud.inside(test)
				n.rows = append(n.rows, csvRow(run.Method, run.Seed, cloud.Layer, cloud.Image,
					test.name,
					int(c[1]), int(c[2]), int(c[3]), int(c[4]), int(c[5]),
					quantity.Spaced(cloud.Share)))
			}
		}
	}
	return n
}
