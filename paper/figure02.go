package paper

// figure02 is Figure 2 of the paper: the last layer's outputs of M16 and M32 for one image under
// draws of the latents, and the mean outputs for its corrupted versions. The runs are those of
// Figure03. The paper shows one image; the claims count over several.
var figure02 = Figure{
	Number:   2,
	Title:    "Wider noise covers the shifts that corruptions cause in the outputs",
	Headline: cloudHeadline("Outputs under noise and under corruption"),
	Runs:     func(scale Scale) Setup { return cloudRuns(scale, 20, 0) },
	Collect:  cloudMeasurement{},
	Draw:     cloudPanels,
	Claims:   cloudClaims,
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
