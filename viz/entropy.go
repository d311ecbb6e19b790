package viz

// EntropyCurve is the entropy of one method's posterior over training.
type EntropyCurve struct {
	Name  string    // of the method; it decides the colour
	Mean  []float64 // [epochs+1], nats, mean over seeds: before training, then after each epoch
	Std   []float64 // [epochs+1], nats, standard deviation over seeds; nil draws no band
	Seeds int       // number of runs behind Mean and Std; 0 means not known, 1 draws no band
}

// EntropyCurves draws the entropy of the node posterior q(Z) against the epoch, with a band of one standard deviation
// over seeds. The curves may have different numbers of epochs.
func EntropyCurves(curves []EntropyCurve) (*Figure, error) {
	methods := make([]series, len(curves))
	for i, c := range curves {
		var err error
		if methods[i], err = newSeries(c.Name, c.Mean, c.Std, c.Seeds); err != nil {
			return nil, err
		}
	}
	if err := checkNames(methods); err != nil {
		return nil, err
	}
	return entropyChart(methods).figure(), nil
}

// entropyChart places the curves and names them.
func entropyChart(methods []series) chart {
	looks := styles(names(methods))
	c := chart{xLabel: "epoch", yLabel: "entropy of q(Z) (nats)", caption: seedCaption("bands", methods)}
	last := 1
	for i, s := range methods {
		last = max(last, len(s.mean)-1)
		c.curves = append(c.curves, curve{
			x:         places(len(s.mean), 0),
			y:         s.mean,
			deviation: s.deviation,
			spread:    band,
			style:     looks[i],
			marks:     7,
		})
		c.entries = append(c.entries, entry{s.name, looks[i]})
	}
	c.x = span{0, float64(last)}.widen(0.03)
	c.y = reach(c.curves).widen(0.06)
	c.xTicks, c.yTicks = c.x.wholeTicks(6), c.y.ticks(6)
	return c
}
