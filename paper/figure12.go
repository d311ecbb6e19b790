package paper

// figure12 is Figure 12 of the paper: figure02 for the first two and the last two layers.
var figure12 = Figure{
	Number:   12,
	Title:    "In every layer wider noise covers more of the shifts that corruptions cause",
	Headline: cloudHeadline("Outputs of four layers under noise and under corruption"),
	Runs:     func(scale Scale) Setup { return cloudRuns(scale, 20, 1, 2, 7, 8) },
	Collect:  cloudMeasurement{},
	Draw:     cloudGrid,
	Claims:   cloudClaims,
}
