package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// Latents of layers next to each other and their gradients have the bits of sums that take one row
// after the other and round each product, for any number of layers, dimensions and rows.
func TestLatentsAgreeWithTheirDefinition(t *testing.T) {
	eachPasses(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(75, 76))
		for _, c := range []struct {
			rows, components int
			widths           []int
		}{{8, 1, []int{16}}, {128, 1, []int{129, 8, 16}}, {7, 3, []int{21, 1}},
			{2, 3, []int{5, 24}}, {12, 4, []int{64, 10, 32, 3}}} {
			l := Latents{c.components, c.widths}
			var total int
			var epsilon, gradient, got, columns [][]float32
			for _, width := range c.widths {
				total += width
				epsilon, gradient = append(epsilon, normals(random, c.rows*width)),
					append(gradient, normals(random, c.rows*width))
				got, columns = append(got, normals(random, c.rows*width)),
					append(columns, normals(random, c.components*width))
			}
			mean, rho := normals(random, c.components*total), normals(random, c.components*total)
			gotMean, gotRho := normals(random, len(mean)), normals(random, len(rho))
			l.Sample(got, mean, rho, epsilon)
			l.SampleGradient(gotMean, gotRho, rho, gradient, epsilon)
			l.Columns(columns, mean)

			want, wantMean, wantRho := make([][]float32, len(c.widths)), make([]float32, len(mean)),
				make([]float32, len(rho))
			for layer, first := 0, 0; layer < len(c.widths); layer++ {
				width := c.widths[layer]
				for i, e := range epsilon[layer] {
					at := i/width%c.components*total + first + i%width
					want[layer] = append(want[layer], mean[at]+float32(softplus(rho[at])*e))
					wantMean[at] += gradient[layer][i]
					wantRho[at] += float32(gradient[layer][i] * e)
				}
				for i, value := range columns[layer] {
					if wanted := mean[i/width*total+first+i%width]; value != wanted {
						t.Errorf("column %d of layer %d is %g, want %g", i, layer, value, wanted)
					}
				}
				first += width
			}
			for i, value := range rho {
				wantRho[i] *= float32(1 / (1 + math.Exp(-float64(value))))
			}
			for layer := range got {
				identical(t, fmt.Sprintf("%+v: latents of layer %d", c, layer), got[layer],
					want[layer])
			}
			identical(t, fmt.Sprintf("%+v: gradient of the mean", c), gotMean, wantMean)
			identical(t, fmt.Sprintf("%+v: gradient of rho", c), gotRho, wantRho)
		}
	})
}
