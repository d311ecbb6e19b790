package viz

import "fmt"

// EntropyCurve is the entropy of one method's posterior over training, in nats.
type EntropyCurve = EpochCurve

// EntropyCurves draws the entropy of the node posterior q(Z) against the epoch, as EpochCurves does.
func EntropyCurves(curves []EntropyCurve) (*Figure, error) {
	return EpochCurves("entropy of q(Z) (nats)", curves)
}

// EpochCurve is a quantity of one method's training, such as a term of its objective, against the epoch.
type EpochCurve struct {
	Name  string    // of the method; it decides the colour
	Mean  []float64 // mean over seeds, epoch after epoch from First on
	Std   []float64 // as many standard deviations over seeds; nil draws no band
	First int       // epoch of the first value; 0 is the state before training, which a training loss doesn't have
	Seeds int       // number of runs behind Mean and Std; 0 means not known, 1 draws no band
}

// EpochCurves draws a quantity, named with its unit as in "KL (nats)", against the epoch, with a band of one standard
// deviation over seeds. The curves may have different numbers of epochs.
func EpochCurves(quantity string, curves []EpochCurve) (*Figure, error) {
	methods, firsts := make([]series, len(curves)), make([]float64, len(curves))
	for i, c := range curves {
		var err error
		if methods[i], err = newSeries(c.Name, c.Mean, c.Std, c.Seeds); err != nil {
			return nil, err
		}
		if firsts[i] = float64(c.First); c.First < 0 {
			return nil, fmt.Errorf("viz: curve %q begins at epoch %d: give the epoch of its first value, or 0 for the state before training", c.Name, c.First)
		}
	}
	if err := checkNames(methods); err != nil {
		return nil, err
	}
	return epochChart(quantity, methods, firsts).figure(), nil
}

// epochChart places the curves and names them.
func epochChart(quantity string, methods []series, firsts []float64) chart {
	looks := styles(names(methods))
	c := chart{xLabel: "epoch", yLabel: quantity, caption: seedCaption("bands", methods)}
	last := 1.0
	for i, s := range methods {
		last = max(last, firsts[i]+float64(len(s.mean)-1))
		c.curves = append(c.curves, curve{
			x:         places(len(s.mean), firsts[i]),
			y:         s.mean,
			deviation: s.deviation,
			spread:    band,
			style:     looks[i],
			marks:     7,
		})
		c.entries = append(c.entries, entry{name: s.name, style: looks[i]})
	}
	c.x = span{0, last}.widen(0.03)
	c.y = reach(c.curves).widen(0.06)
	c.xTicks, c.yTicks = c.x.wholeTicks(6), c.y.ticks(6)
	return c
}
