package viz

import "fmt"

// EpochCurve is a quantity of one method's training, such as a term of its objective, against the
// epoch.
type EpochCurve struct {
	Name  string      // of the method; it decides the colour
	Mean  []float64   // mean over seeds, epoch after epoch from First on
	Std   []float64   // as many standard deviations over seeds, drawn as a band from five seeds on; nil draws none
	First int         // epoch of the first value; 0 is the state before training, which a training loss doesn't have
	Seeds int         // number of runs behind Mean and Std; 0 means not known
	Each  [][]float64 // [seeds], as many values as Mean, drawn as thin lines of fewer than five seeds; nil draws none
}

// EntropyCurve is the entropy of one method's posterior over training, in nats.
type EntropyCurve struct {
	Name  string      // of the method; it decides the colour
	Mean  []float64   // mean over seeds: the state before training, then after each epoch
	Std   []float64   // as many standard deviations over seeds, drawn as a band from five seeds on; nil draws none
	Seeds int         // number of runs behind Mean and Std; 0 means not known
	Each  [][]float64 // [seeds], as many values as Mean, drawn as thin lines of fewer than five seeds; nil draws none

	Prior   float64 // entropy of the prior, drawn as a dotted line; 0 draws none
	Latents int     // number D of latent variables, all curves' the same, for the axis on the right; 0 draws none
}

// EntropyCurves draws the entropy of the node posterior q(Z) against the epoch, as EpochCurves
// does. An axis on the right translates the entropy into a typical standard deviation of a node,
// exp(H/D - 1.419).
func EntropyCurves(curves []EntropyCurve) (*Figure, error) {
	general := make([]EpochCurve, len(curves))
	for i, c := range curves {
		general[i] = EpochCurve{Name: c.Name, Mean: c.Mean, Std: c.Std, Seeds: c.Seeds, Each: c.Each}
		if c.Latents < 0 {
			return nil, fmt.Errorf("viz: curve %q has %d latent variables: give 1 or more, or 0 for no axis", c.Name, c.Latents)
		}
		if err := finite(c.Name, "prior's entropy", []float64{c.Prior}, -1e300); err != nil {
			return nil, err
		}
	}
	result, err := newEpochChart("entropy of q(Z) (nats)", general)
	if err != nil {
		return nil, err
	}
	result.addPriors(curves)
	if latents := commonLatents(curves); latents > 0 {
		result.right = typicalSigma(latents)
	}
	return result.figure(), nil
}

// addPriors draws the entropies of the priors, in the colours of their methods, or once in grey if
// they are all the same.
func (c *chart) addPriors(curves []EntropyCurve) {
	same := true
	for _, curve := range curves {
		same = same && curve.Prior == curves[0].Prior
	}
	var priors []curve
	for i, of := range curves {
		if of.Prior == 0 || same && i > 0 {
			continue
		}
		look := style{colour: softInk, width: paperWidth, dashes: dottedDashes}
		if !same {
			look.colour = c.entries[i].style.colour
		}
		priors = append(priors, curve{x: []float64{c.x.low, c.x.high}, y: []float64{of.Prior, of.Prior}, style: look})
	}
	if len(priors) > 0 {
		c.entries = append(c.entries, entry{name: "prior", style: paperSample(priors)})
		c.curves = append(priors, c.curves...)
		c.y = reach(c.curves).widen(0.06)
	}
}

// commonLatents returns the number of latent variables that all curves have, or 0.
func commonLatents(curves []EntropyCurve) int {
	for _, c := range curves {
		if c.Latents != curves[0].Latents {
			return 0
		}
	}
	return curves[0].Latents
}

// EpochCurves draws a quantity, named with its unit as in "KL (nats)", against the epoch, with a
// band of one standard deviation from five seeds on and a thin line for each of fewer seeds. The
// curves may have different numbers of epochs.
func EpochCurves(quantity string, curves []EpochCurve) (*Figure, error) {
	result, err := newEpochChart(quantity, curves)
	if err != nil {
		return nil, err
	}
	return result.figure(), nil
}

// newEpochChart checks the curves, places and names them.
func newEpochChart(quantity string, curves []EpochCurve) (chart, error) {
	methods := make([]series, len(curves))
	for i, c := range curves {
		var err error
		if methods[i], err = newSeries(c.Name, c.Mean, c.Std, c.Seeds); err != nil {
			return chart{}, err
		}
		if err := methods[i].addSeeds(c.Each); err != nil {
			return chart{}, err
		}
		if c.First < 0 {
			return chart{}, fmt.Errorf("viz: curve %q begins at epoch %d: give the epoch of its first value, or 0 for the state before training", c.Name, c.First)
		}
	}
	if err := checkNames(methods); err != nil {
		return chart{}, err
	}
	looks := styles(names(methods))
	result := chart{xLabel: "epoch", yLabel: quantity, caption: seedCaption("bands", methods)}
	last := 1.0
	for i, s := range methods {
		first := float64(curves[i].First)
		last = max(last, first+float64(len(s.mean)-1))
		look := looks[i]
		look.marker = nil // the epochs are too many to mark, and a few of them mean nothing
		result.curves = append(result.curves, curve{
			name:      s.name,
			x:         places(len(s.mean), first),
			y:         s.mean,
			deviation: s.drawnDeviation(),
			each:      s.drawnSeeds(),
			spread:    band,
			style:     look,
		})
		result.entries = append(result.entries, entry{name: s.name, style: look})
	}
	result.x = span{0, last}.widen(0.03)
	result.y = reach(result.curves).widen(0.06)
	result.xTicks, result.yTicks = ticker{6, true}, ticker{6, false}
	return result, nil
}
