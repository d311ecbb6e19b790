package paper

// Figure12 is Figure 12 of the paper: Figure02 for the first two and the last two layers.
var Figure12 = Figure{
	Number:  12,
	Title:   "In every layer wider noise covers more of the shifts that corruptions cause",
	Runs:    func(scale Scale) Setup { return cloudRuns(scale, 4, 1, 2, 7, 8) },
	Collect: cloudMeasurement{},
	Draw:    (*Result).cloudGrid,
	Claims:  cloudClaims,
}
