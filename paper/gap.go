package paper

import (
	"fmt"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn"
)

// gapLaw asks when noise on the nodes helps: what it wins under corruption, against the gap of the
// network without it, which follows from the network and the number of training images.
var gapLaw = Figure{
	Key:   "gap",
	Title: "What noise on the nodes wins under corruption, against the gap of the network without it",
	Headline: Headline{
		Shows:   "NLL under corruption that noise wins, against the gap of MAP",
		Claimed: "Noise wins more under corruption, the larger the gap of MAP", Opposite: "Noise wins less under corruption, the larger the gap of MAP",
		Between: "between large and small gaps in the NLL that noise wins",
		Names:   "The gap is the validation NLL minus the training NLL",
	},
	Runs:    gapRuns,
	Collect: gapMeasurement{tests{parts: []nbbnn.Part{nbbnn.ValidationPart}}},
	Draw:    drawGap,
	Claims: []Claim{
		gapClaim("γ = 16 lowers the NLL under corruption by more, the larger the gap of MAP", NLL, gapSlopes).asPrimary(0),
		gapClaim("γ = 16 lowers the NLL under corruption where the gap is smallest", NLL, atLeastGap),
		gapClaim("there is a gap, above zero, below which γ = 16 wins nothing", NLL, gapWithoutWin),
		gapClaim("γ = 16 lowers the NLL by more in each network, the larger its gap", NLL, gapSlopesOfNetworks),
		gapClaim("γ = 16 lowers the scaled NLL by more, the larger the gap of MAP", ScaledNLL, gapSlopes).scaled(),
		gapClaim("γ = 16 lowers the error by more, the larger the gap of MAP", Error, gapSlopes),
	},
}

// gapGamma is the gamma of the claims and of the picture. Validation images choose it, too.
const gapGamma = 16

// gapNetworks are changes of the network of the scale, a ResNet18 of an eighth of its width.
var gapNetworks = []struct {
	name   string
	change func(*nbbnn.Network)
}{
	{"ResNet18", func(*nbbnn.Network) {}},
	{"wide ResNet18", func(n *nbbnn.Network) { n.Width *= 2 }},
	{"All-CNN-C", func(n *nbbnn.Network) { // without normalisation, in the form for narrow networks
		*n = nbbnn.Network{Name: "allcnnc", Width: 3 * n.Width, Precision: n.Precision}
	}},
}

// gapRuns has a row for each network and number of images, in the regime of the quick scale, or of Demo. Epochs
// and batch are the same for every number N of images, because the pull of the entropy, learning
// rate × steps × (1 + gamma) / N, is then the same: it's rate × epochs × (1 + gamma) / batch
// (METHOD.md 4.3). With equal steps instead, the rate would have to grow with N, and the largest N
// would be seen once.
func gapRuns(scale Scale) Setup {
	networks, factors, gammas := gapNetworks, []float64{0.5, 1, 2, 5, 10}, []float64{0, 4, gapGamma, 64}
	setup := sweepRuns(Quick, nbbnn.PaperResNet18(dataset.CIFAR10))
	switch scale {
	case Smoke:
		setup = demoRuns(scale)
		setup.Config.Data.Validation, setup.Seeds, setup.Methods = 50, FirstSeeds(1), nil
		networks, factors, gammas = networks[:1], factors[:2], []float64{0, gapGamma}
	case Quick:
		networks, factors = networks[:1], factors[:3] // half an hour, most of it shared with Figure 6
	case Desk:
		setup.Seeds = FirstSeeds(3)
	default:
		return Setup{}
	}
	methods := []Method{ordinary}
	for _, gamma := range gammas {
		method := gammaMethod(1, nbbnn.Output, gamma)
		method.Name = gammaName(gamma)
		methods = append(methods, method)
	}
	for _, network := range networks {
		for _, factor := range factors {
			for _, method := range methods {
				row := fmt.Sprintf("%s, images × %g", network.name, factor)
				setup.Methods = append(setup.Methods, method.inRow(row, func(c *nbbnn.Config) {
					network.change(&c.Network)
					onImages(c, factor)
				}))
			}
		}
	}
	return setup
}

// onImages changes a configuration to a multiple of the training images, at most all of them.
func onImages(config *nbbnn.Config, factor float64) {
	whole := config.Data
	whole.Train = 0
	images := int(factor*float64(config.Data.Train-config.Data.Validation)) + config.Data.Validation
	config.Data.Train = min(images, whole.Images().Size().Train)
}
