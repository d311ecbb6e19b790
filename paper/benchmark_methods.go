package paper

import (
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// Names of the methods of a benchmark. Each has a colour of its own in every picture.
// They are the titles of package baseline.
const (
	nodeBNN = "node-BNN"
	mapName = "MAP"
	swag    = "SWAG"
	csgHMC  = "cSG-HMC"
	asam    = "ASAM"
)

// baselines are the methods with which the node-BNN is compared, in the order of the legend: a
// further one is a name here. Those of the paper come first, with MAP. The others are drawn, and no
// claim of the paper is about them.
var baselines = []baseline.Name{
	baseline.MAP, baseline.SWAG, baseline.CSGHMC, baseline.ASAM, baseline.SAM, baseline.MCDropout, baseline.DAMP,
}

// benchmarkMethods are the methods of every benchmark, one curve each, at the strengths of
// their scale.
func benchmarkMethods(components int, gammaPerComponent float64, scale Scale) []Method {
	methods := []Method{{Name: nodeBNN, Change: gammaMethod(components, nbbnn.Output, gammaPerComponent).Change}}
	for _, name := range baselines {
		methods = append(methods, Method{Name: name.Title(), Change: func(config *nbbnn.Config) {
			config.Method.Name = name
			ordinary.Change(config)
			config.Training.Samples = 1 // without latents all samples are the same
			switch name {
			case baseline.DAMP:
				config.Method.SubBatches = 1 // published for CIFAR
			case baseline.CSGHMC: // its published rate, momentum and cycles, shorter with a shorter training
				config.Training = config.Method.Switched(nbbnn.Method{}, config.Training)
				config.Method.Cycles, config.Method.Snapshots = 6, 5
				config.Method = config.Method.Compress(300, config.WithDefaults().Training.Epochs)
			}
			strengthen(&config.Method, strengths[scale][name])
		}})
	}
	return methods
}

// strengths are those of the methods at the scales of narrow networks; the others are as published.
// At quick and desk each has the least NLL on validation images of four or five that were tried at
// quick, with a seed that no figure uses (rho .01 to 4, rates .03 to .2, deviations .05 to .4). At
// smoke the published ones keep the network from learning.
var strengths = map[Scale]map[baseline.Name]float64{
	Smoke: {baseline.ASAM: 0.2, baseline.SAM: 0.02, baseline.MCDropout: 0.03, baseline.DAMP: 0.05},
	Quick: tuned,
	Desk:  tuned,
}

var tuned = map[baseline.Name]float64{baseline.ASAM: 1, baseline.SAM: 0.1, baseline.MCDropout: 0.03, baseline.DAMP: 0.2}

// strengthen sets the strength of a method; 0 leaves the published one.
func strengthen(m *nbbnn.Method, strength float64) {
	switch m.Name {
	case baseline.ASAM, baseline.SAM:
		m.Rho = strength
	case baseline.MCDropout:
		m.Dropout = strength
	case baseline.DAMP:
		m.Std = strength
	}
}
