package corrupt

import "math"

// gaussian is a separable Gaussian filter (CORRUPT.md 0.2, G): rows first, then columns, never
// across channels.
type gaussian struct {
	weights []float64 // at distance 0..radius, symmetric, with sum 1
	border  border
	single  bool      // round to single precision after each pass
	padded  []float64 // a row with its border
	// factor of each weight: a row seen from distance -radius..radius
	shifted [][]float64
	halfway []float64 // the result of the first pass
}

// newGaussian makes a filter of standard deviation sigma, in pixels, cut off at the given number of
// standard deviations. A sigma of zero changes nothing.
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

// referenceWeights holds, for each standard deviation that a corruption uses with a cut-off of 4,
// the weights at distance 0..radius to the last bit. The reference's exponential rounds other than
// Go's for one weight in four, which decides whether a flat area loses a level (CORRUPT.md 0.2, G).
var referenceWeights = map[float64][]float64{
	0.05: {1},
	0.1:  {1},
	0.25: {0x1.ffa81e9405eep-1, 0x1.5f85afe8486dcp-12},
	0.4:  {0x1.d6a3bb0b987e5p-1, 0x1.4adaf8877b346p-5, 0x1.cbc6f0363e1f1p-19},
	0.5:  {0x1.92b965ef5aaefp-1, 0x1.b405b9842b206p-4, 0x1.14aebe6a24088p-12},
	0.6:  {0x1.53dffefe63382p-1, 0x1.52fe8b43e1331p-3, 0x1.505dafd617359p-9},
	0.7: {
		0x1.23c2d39adde1dp-1, 0x1.a4a892b55c7f1p-3, 0x1.3b3170a27df78p-7, 0x1.eaf0abfddfc56p-15,
	},
	0.75: {
		0x1.10562a79786afp-1, 0x1.bfd7fac1bd5a8p-3, 0x1.f1e23259cfdcbp-7, 0x1.763496d347539p-13,
	},
	0.8: {
		0x1.fea50a329ccc5p-2, 0x1.d39491a41f9e1p-3, 0x1.66fa84b3e9043p-6, 0x1.ce27258cea946p-12,
	},
	0.9: {
		0x1.c5e85af5bea5p-2, 0x1.e9aeb020a6f44p-3, 0x1.336a4e8e9e374p-5, 0x1.c138a6b624c17p-10,
		0x1.7dff10d1ee066p-16,
	},
	1: {
		0x1.9884a307594fbp-2, 0x1.ef8eb9ad499bap-3, 0x1.ba4b99d1799a9p-5, 0x1.22724cb7eb26ap-8,
		0x1.18a9c4fd536c6p-13,
	},
	1.1: {
		0x1.73634be2f80f5p-2, 0x1.eb5b6769ebe0ep-3, 0x1.1c79d98799072p-4, 0x1.204acf6bed14ep-7,
		0x1.ff65f12175c9fp-12,
	},
	1.25: {
		0x1.46d0cc7a543b6p-2, 0x1.daa239e0cb6c1p-3, 0x1.6b77bd384c48fp-4, 0x1.25880ee37eb57p-6,
		0x1.f3fb95afc32a3p-10,
		0x1.c1100756b9273p-14,
	},
	1.5: {
		0x1.1058ef29a59d7p-2, 0x1.b42851d1c8a96p-3, 0x1.bfdc88289323cp-4, 0x1.26dd9e7a284ep-5,
		0x1.f1e741f80c9b9p-8,
		0x1.0d891ab53680ap-10, 0x1.7638649a0fcdp-14,
	},
	2: {
		0x1.98862a07ae7b4p-3, 0x1.68856f9ab1982p-3, 0x1.ef9093fc46e5ap-4, 0x1.0941b71ceef37p-4,
		0x1.ba4d4125ffd29p-6,
		0x1.1f30504e20207p-7, 0x1.227362b5fc92ep-9, 0x1.c98b8c5d0dda5p-12, 0x1.18aad19e4159bp-14,
	},
	3: {
		0x1.105a329f98197p-3, 0x1.01a25f86eb137p-3, 0x1.b42a57d56c0bep-4, 0x1.4a614d1afd337p-4,
		0x1.bfde9c12bec92p-5,
		0x1.0fa58939b529p-5, 0x1.26defcaeb0201p-6, 0x1.1e6bccad344bap-7, 0x1.f1e9915139407p-9,
		0x1.8345966f69519p-10,
		0x1.0d8a5ad43c165p-11, 0x1.4fbe39149e277p-13, 0x1.763a210dfb305p-15,
	},
	4: {
		0x1.988806a9e3a2ep-4, 0x1.8bf65056bb619p-4, 0x1.6887143b624f7p-4, 0x1.34602a221842cp-4,
		0x1.ef92d62bd84abp-5,
		0x1.76141cc98066cp-5, 0x1.0942ec97f52edp-5, 0x1.616787004c73ep-6, 0x1.ba4f4530f2e68p-7,
		0x1.04053ad72a045p-7,
		0x1.1f319f5fd1d9ep-8, 0x1.29fd07d6ae2c9p-9, 0x1.2274b595fa0dfp-10, 0x1.09f5f6e2ac01cp-11,
		0x1.c98da230e44c3p-13,
		0x1.71bc883f2eb6cp-14, 0x1.18ac19141d621p-15,
	},
	6: {
		0x1.105b3ff2ae294p-4, 0x1.0c9990adce751p-4, 0x1.01a35e4c1139ep-4, 0x1.e0b51a9d9de69p-5,
		0x1.b42c07267189bp-5,
		0x1.80eba0f8732c1p-5, 0x1.4a6293d0084b2p-5, 0x1.13cebab768bf4p-5, 0x1.bfe056f6b92d4p-6,
		0x1.61af4ce1724abp-6,
		0x1.0fa695da23fc2p-6, 0x1.95db0e7acbd52p-7, 0x1.26e0204679b9p-7, 0x1.a0bf1bcbe1a45p-8,
		0x1.1e6ce7e9da4b2p-8,
		0x1.7eeda023d0e58p-9, 0x1.f1eb7db1bd0ccp-10, 0x1.3ada5e279d656p-10, 0x1.83471566d3f39p-11,
		0x1.cf4fd0eab9b7cp-12,
		0x1.0d8b655f7b04ep-12, 0x1.3109b9034c193p-13, 0x1.4fbf851751e7p-14, 0x1.676d110f133a3p-15,
		0x1.763b931f10804p-16,
	},
}
