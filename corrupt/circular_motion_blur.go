package corrupt

import "math"

// circularMotionBlur averages 21 copies of the image, turned around its centre by up to 1.5 s
// degrees to both sides for strength s. Copies turned by a share t of that have weight exp(-2 t^2).
// Turning interpolates with cubic splines; what comes from outside is black. There is no
// randomness.
var circularMotionBlur = Corruption{
	Name: "circular_motion_blur", Version: "1",
	Severities: [5]float64{2.8, 3.6, 4.4, 5.2, 6},
	Apply: func(image Image, strength float64, _, out []float64) {
		const copies = 21
		coefficients := image.splineCoefficients()
		clear(out)
		total := 0.
		for i := range copies {
			share := 2*float64(i)/(copies-1) - 1
			weight := math.Exp(-2 * share * share)
			total += weight
			addTurned(out, coefficients, share*levelShare(strength, 15)*math.Pi/180, weight)
		}
		for i := range out {
			out[i] /= total
		}
	},
}

// addTurned adds the image with the given coefficients, turned around its centre.
func addTurned(out []float64, coefficients Image, angle, weight float64) {
	sine, cosine := math.Sincos(angle)
	lastY, lastX := float64(coefficients.Height-1), float64(coefficients.Width-1)
	sample := make([]float64, 3)
	eachPixel(coefficients.Size, out, func(y, x int, pixel []float64) {
		dy, dx := float64(y)-lastY/2, float64(x)-lastX/2
		fromY, fromX := lastY/2+cosine*dy+sine*dx, lastX/2-sine*dy+cosine*dx
		if fromY < 0 || fromX < 0 || fromY > lastY || fromX > lastX {
			return
		}
		coefficients.spline(sample, fromY, fromX)
		for channel, v := range sample {
			pixel[channel] += weight * v
		}
	})
}
