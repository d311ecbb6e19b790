package corrupt

import "math"

// gaussian is a separable Gaussian filter (CORRUPT.md 0.2, G): rows first, then columns, never
// across channels.
type gaussian struct {
	weights []float64 // at distance 0..radius, symmetric, with sum 1
	border  border
	single  bool        // round to single precision after each pass
	padded  []float64   // a row with its border
	shifted [][]float64 // what is multiplied by each weight: a row seen from distance -radius..radius
	halfway []float64   // the result of the first pass
}

// newGaussian makes a filter of standard deviation sigma, in pixels, cut off at the given number of
// standard deviations. A sigma of zero leaves everything as it is.
func newGaussian(sigma, cutoff float64, border border) *gaussian {
	weights := gaussianWeights(sigma, cutoff)
	return &gaussian{weights: weights, border: border, shifted: make([][]float64, 2*len(weights)-1)}
}

// gaussianWeights returns the weights at distance 0..radius.
func gaussianWeights(sigma, cutoff float64) []float64 {
	if sigma <= 1e-15 {
		return []float64{1}
	}
	if weights, ok := referenceWeights[sigma]; ok && cutoff == 4 {
		return weights
	}
	radius := int(float64(cutoff*sigma) + .5)
	weights, sum := make([]float64, radius+1), 0.0
	for i := range weights {
		weights[i] = math.Exp(-.5 / (sigma * sigma) * float64(i*i))
		sum += weights[i]
		if i > 0 {
			sum += weights[i]
		}
	}
	for i := range weights {
		weights[i] /= sum
	}
	return weights
}

// filter replaces values [height, width, channels] by their smoothed version.
func (g *gaussian) filter(values []float64, size Size, channels int) {
	if len(g.weights) == 1 && g.weights[0] == 1 {
		return
	}
	g.halfway = resize(g.halfway, len(values))
	g.filterDown(g.halfway, values, size, channels)
	g.round(g.halfway)
	g.filterAcross(values, g.halfway, size, channels)
	g.round(values)
}

func (g *gaussian) round(values []float64) {
	if !g.single {
		return
	}
	for i, v := range values {
		values[i] = float64(float32(v))
	}
}

// filterDown filters along the columns, a whole row at a time.
func (g *gaussian) filterDown(out, values []float64, size Size, channels int) {
	radius, length := len(g.weights)-1, size.Width*channels
	for y := range size.Height {
		for k := range g.shifted {
			source := g.border(y-radius+k, size.Height)
			g.shifted[k] = values[source*length : (source+1)*length]
		}
		g.sum(out[y*length : (y+1)*length])
	}
}

// filterAcross filters along the rows.
func (g *gaussian) filterAcross(out, values []float64, size Size, channels int) {
	radius, length := len(g.weights)-1, size.Width*channels
	g.padded = resize(g.padded, length+2*radius*channels)
	for k := range g.shifted {
		g.shifted[k] = g.padded[k*channels:][:length]
	}
	for y := range size.Height {
		padRow(g.padded, values[y*length:(y+1)*length], radius, channels, g.border)
		g.sum(out[y*length : (y+1)*length])
	}
}

// sum adds the shifted values: the centre first, then the pairs of neighbours from the outermost
// inwards.
func (g *gaussian) sum(out []float64) {
	distance := len(g.weights) - 1
	centre := g.shifted[distance]
	switch distance {
	case 0:
		scale(out, centre, g.weights[0])
	case 1:
		startPair(out, centre, g.weights[0], g.pair(1))
	default:
		startTwoPairs(out, centre, g.weights[0], g.pair(distance), g.pair(distance-1))
	}
	for distance -= 2; distance >= 2; distance -= 2 {
		addTwoPairs(out, g.pair(distance), g.pair(distance-1))
	}
	if distance == 1 {
		addPair(out, g.pair(1))
	}
}

// pair returns the shifted values at a distance on either side.
func (g *gaussian) pair(distance int) weightedPair {
	radius := len(g.weights) - 1
	return weightedPair{g.shifted[radius-distance], g.shifted[radius+distance], g.weights[distance]}
}

// weightedPair is two neighbours at the same distance, one on either side.
type weightedPair struct {
	left, right []float64
	weight      float64
}

// cut shortens both sides to the given length.
func (p weightedPair) cut(length int) (left, right []float64, weight float64) {
	return p.left[:length], p.right[:length], p.weight
}

func scale(out, values []float64, weight float64) {
	values = values[:len(out)]
	for i, v := range values {
		out[i] = v * weight
	}
}

func startPair(out, centre []float64, weight float64, p weightedPair) {
	centre = centre[:len(out)]
	left, right, outer := p.cut(len(out))
	for i, v := range centre {
		out[i] = float64(v*weight) + float64((left[i]+right[i])*outer)
	}
}

func addPair(out []float64, p weightedPair) {
	left, right, weight := p.cut(len(out))
	for i, sum := range out {
		out[i] = sum + float64((left[i]+right[i])*weight)
	}
}

// startTwoPairs adds the outer pair to the weighted centre, then the inner one.
func startTwoPairs(out, centre []float64, weight float64, p, q weightedPair) {
	centre = centre[:len(out)]
	outerLeft, outerRight, outer := p.cut(len(out))
	innerLeft, innerRight, inner := q.cut(len(out))
	for i, v := range centre {
		sum := float64(v*weight) + float64((outerLeft[i]+outerRight[i])*outer)
		out[i] = sum + float64((innerLeft[i]+innerRight[i])*inner)
	}
}

// addTwoPairs adds the outer pair and then the inner one.
func addTwoPairs(out []float64, p, q weightedPair) {
	outerLeft, outerRight, outer := p.cut(len(out))
	innerLeft, innerRight, inner := q.cut(len(out))
	for i, sum := range out {
		sum += float64((outerLeft[i] + outerRight[i]) * outer)
		out[i] = sum + float64((innerLeft[i]+innerRight[i])*inner)
	}
}
