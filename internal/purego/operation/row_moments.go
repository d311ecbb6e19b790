package operation

import . "github.com/gomlx/gomlx/core/graph"

// Row moments compute the batch and the gradient of a NormaliseForm in fewer passes over the
// images. The plain form reads them for the mean, for the variance, for y, and backwards for the
// sums, for the gradients of x and of the noise; XLA fuses no pass with a sum that it needs. Here
// one pass sums x and its square in each row and channel, and another the gradient and its product
// with x. All other sums follow from these, [rows, channels]. Images may be bfloat16, and stay so
// in memory.

// rowMoments are the mean and the variance of each row and channel over the pixels, [rows,
// channels]; without noise all rows count as one. The sums are about a center of each channel: the
// mean over the rows of the pixel in the middle. A center near the mean keeps digits that a sum of
// squares about zero would lose if the mean is far from zero. An outlier moves the center by its
// share of the rows only. Digits are lost if that pixel is far from the others in all rows.
type rowMoments struct {
	axes           []int
	center         *Node // [channels]
	offset         *Node // mean minus center
	mean, variance *Node
}

// NormalisesAnyType reports whether NormaliseBatch takes images in another type than the
// parameters': it does with row moments. The pure-Go engine has kernels for the plain form.
func NormalisesAnyType(g *Graph) bool { return g.Backend().Name() != goBackend }

// normaliseByRows implements NormaliseBatch by row moments.
func (n Normalisation) normaliseByRows(x *Node) (y, mean, variance *Node) {
	var rows rowMoments
	y = withGradient(n.differentiable(x), func() *Node {
		rows = n.moments(x)
		mean, variance = n.combine(rows)
		values := n.form().noisy(n.wide(x), n.optional())
		y := normalised(values, n.Gain, n.Shift, constant(n.Gain, n.Epsilon), mean, variance)
		if n.Residual != nil {
			y = Add(y, n.wide(n.Residual))
		}
		if n.Rectify {
			y = Max(y, constant(y, 0))
		}
		return ConvertDType(y, x.DType())
	}, func(gradient *Node) []*Node {
		return n.gradientByRows(gradient, x, y, rows, mean, variance)
	})
	return y, StopGradient(mean), StopGradient(variance)
}

// moments computes the moments of x in one pass.
func (n Normalisation) moments(x *Node) rowMoments {
	m := rowMoments{axes: []int{1, 2}}
	if n.Noise == nil {
		m.axes = []int{0, 1, 2}
	}
	d := x.Shape().Dimensions
	pixels := n.wide(Slice(x, AxisRange(), AxisElem(d[1]/2), AxisElem(d[2]/2)))
	m.center = ReduceMean(pixels, 0, 1, 2)
	centered := Sub(n.wide(x), overChannels(m.center))
	share := constant(n.Gain, 1/m.pixels(x))
	m.offset = Mul(m.sum(centered), share)
	square := Mul(m.sum(Square(centered)), share)
	m.mean = Add(m.offset, ExpandAxes(m.center, 0))
	m.variance = Max(Sub(square, Square(m.offset)), constant(square, 0))
	return m
}

// pixels returns the number of values of a row and channel.
func (m rowMoments) pixels(x *Node) float64 {
	pixels := 1
	for _, axis := range m.axes {
		pixels *= x.Shape().Dim(axis)
	}
	return float64(pixels)
}

// sum adds up images over the pixels, [rows, channels].
func (m rowMoments) sum(images *Node) *Node {
	return Reshape(ReduceSum(images, m.axes...), -1, images.Shape().Dim(3))
}

// combine returns the mean and the variance of x times its noise over all rows, [channels]: the
// variance is the variance within the rows plus the variance of their means.
func (n Normalisation) combine(rows rowMoments) (mean, variance *Node) {
	mean = ReduceMean(n.scaled(rows.mean), 0)
	within := n.scaled(n.scaled(rows.variance))
	between := Square(Sub(n.scaled(rows.mean), ExpandAxes(mean, 0)))
	return mean, ReduceMean(Add(within, between), 0)
}

// scaled multiplies numbers of rows and channels by the noise.
func (n Normalisation) scaled(x *Node) *Node {
	if n.Noise == nil {
		return x
	}
	return Mul(x, n.Noise)
}

// gradientByRows returns the gradients in the order of differentiable. With u = x noise, v = (u -
// mean) inverse, and dy the gradient of y where it's positive, that of u is
//
//	du = gain inverse (dy - (sum dy + v sum dy v) / count)
func (n Normalisation) gradientByRows(dy, x, y *Node, rows rowMoments, mean,
	variance *Node) []*Node {
	inverse := inverseDeviation(variance, constant(variance, n.Epsilon)) // [channels]
	forSums, forImages := n.masked(dy, x, y, mean, variance)
	sums := n.gradientSums(n.wide(forSums), x, rows, mean, inverse)

	share := constant(n.Gain, float64(n.Gain.Shape().Size())/float64(x.Shape().Size()))
	noisy := n.form().noisy(n.wide(x), n.optional())
	standard := Mul(Sub(noisy, overChannels(mean)), overChannels(inverse))
	common := Add(overChannels(sums.shift), Mul(standard, overChannels(sums.gain)))
	du := Mul(Sub(n.wide(forImages), Mul(common, share)), overChannels(Mul(n.Gain, inverse)))
	dx := ConvertDType(n.form().noisy(du, n.optional()), x.DType())

	gradients := []*Node{dx, sums.gain, sums.shift}
	if n.Noise != nil {
		gradients = append(gradients, n.noiseGradient(rows, sums, mean, inverse))
	}
	if n.Residual != nil {
		gradients = append(gradients, ConvertDType(forImages, n.Residual.DType()))
	}
	return gradients
}

type gradientSums struct {
	dy, product *Node // of dy, and of dy (x - center), [rows, channels]
	shift, gain *Node // of dy, and of dy v, over the rows too, [channels]
}

// gradientSums computes the sums in one pass.
func (n Normalisation) gradientSums(dy, x *Node, rows rowMoments, mean,
	inverse *Node) (s gradientSums) {
	s.dy = rows.sum(dy)
	s.product = rows.sum(Mul(dy, Sub(n.wide(x), overChannels(rows.center))))
	// u - mean at the center
	distance := Sub(n.scaled(ExpandAxes(rows.center, 0)), ExpandAxes(mean, 0))
	product := Add(n.scaled(s.product), Mul(distance, s.dy)) // of dy and u - mean
	// XLA would make one sum of two, over rows and pixels, and so another pass. It doesn't for a
	// stack.
	both := ReduceSum(Stack([]*Node{s.dy, product}, 0), 1)
	s.shift = Reshape(Slice(both, AxisElem(0)), -1)
	s.gain = Mul(Reshape(Slice(both, AxisElem(1)), -1), inverse)
	return s
}

// noiseGradient returns the sum of du x over the pixels, [rows, channels]: the sum of du times the
// mean of x, and of du times what x differs from it.
func (n Normalisation) noiseGradient(rows rowMoments, s gradientSums, mean, inverse *Node) *Node {
	perRow := constant(n.Gain, 1/float64(n.Noise.Shape().Dim(0)))
	level := ExpandAxes(Mul(s.shift, perRow), 0)
	slope := ExpandAxes(Mul(Mul(s.gain, inverse), perRow), 0)
	distance := Sub(n.scaled(rows.mean), ExpandAxes(mean, 0)) // u - mean in the mean of a row
	ofMean := Mul(rows.mean, Sub(s.dy, Add(level, Mul(slope, distance))))
	within := Sub(Sub(s.product, Mul(rows.offset, s.dy)), Mul(slope, n.scaled(rows.variance)))
	return Mul(Add(ofMean, within), ExpandAxes(Mul(n.Gain, inverse), 0))
}

// masked returns the gradient of y where it's positive, and of all y without a rectifier: for the
// sums, and for the gradients of x and of the residual. XLA keeps the two forms apart, so that it
// computes each where it is used instead of storing one. They are the same numbers but where y
// rounds to zero or to its other side in one form only. That is harmless: so near the kink of the
// rectifier either gradient is right to rounding. A gradient in bfloat16 stays so by a choice,
// where a product with the sign would be float32. Without a residual the second form computes y
// again, since x is read anyway; with one the gradient is stored for it.
func (n Normalisation) masked(dy, x, y, mean, variance *Node) (forSums, forImages *Node) {
	if !n.Rectify {
		return dy, dy
	}
	if dy.DType() == n.Gain.DType() {
		masked := Mul(dy, Sign(y))
		return masked, masked
	}
	forSums = Where(GreaterThan(y, constant(y, 0)), dy, ZerosLike(dy))
	if n.Residual != nil {
		return forSums, forSums
	}
	noisy := n.form().noisy(n.wide(x), n.optional())
	again := normalised(noisy, n.Gain, n.Shift, constant(n.Gain, n.Epsilon), mean, variance)
	return forSums, Where(GreaterThan(again, constant(again, 0)), dy, ZerosLike(dy))
}

// wide converts images to the type of the parameters, in which everything is computed.
func (n Normalisation) wide(x *Node) *Node { return ConvertDType(x, n.Gain.DType()) }
