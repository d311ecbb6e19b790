package viz

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/stat"
)

// Neighbours is the region around draws whose points are as near to the draws as 99 % of the draws
// are to each other. Nearness is the distance to the fifth nearest draw, in standard deviations of
// each coordinate. Unlike Ellipse it sees a skewed cloud: a point beyond all draws on the steep
// side isn't near, however long the tail on the other side is.
type Neighbours struct {
	draws  [][]float64 // in standard deviations, by the first coordinate
	scale  []float64   // standard deviation of each coordinate
	radius float64     // to the fifth nearest draw, for 99 % of the draws
}

// nearest is the place of the draw whose distance counts: a single stray draw makes nothing near.
const nearest = 5

// NewNeighbours returns the region of draws, [draws][coordinates], such as principal components,
// which are uncorrelated.
func NewNeighbours(draws [][]float64) (*Neighbours, error) {
	if len(draws) <= nearest {
		return nil, fmt.Errorf("viz: %d draws have no %d neighbours: give more", len(draws), nearest)
	}
	for i, draw := range draws {
		if len(draw) != len(draws[0]) {
			return nil, fmt.Errorf("viz: draw %d has %d coordinates, draw 0 has %d: give all the same", i, len(draw), len(draws[0]))
		}
	}
	n := &Neighbours{}
	for j := range draws[0] {
		scale := deviationOf(draws, j)
		if !(scale > 0) || math.IsInf(scale, 0) {
			return nil, fmt.Errorf("viz: coordinate %d of the draws has the standard deviation %g: give draws that vary", j, scale)
		}
		n.scale = append(n.scale, scale)
	}
	for _, draw := range draws {
		n.draws = append(n.draws, n.scaled(draw))
	}
	slices.SortFunc(n.draws, func(a, b []float64) int { return cmp.Compare(a[0], b[0]) })
	distances := make([]float64, len(n.draws))
	for i, draw := range n.draws {
		distances[i] = n.reach(draw, nearest+1) // the nearest is the draw itself
	}
	slices.Sort(distances)
	if n.radius = percentile(distances); n.radius == 0 {
		return nil, errors.New("viz: nearly all draws are alike: give draws that vary")
	}
	return n, nil
}

// deviationOf returns the standard deviation of a coordinate.
func deviationOf(draws [][]float64, coordinate int) float64 {
	values := make([]float64, len(draws))
	for i, draw := range draws {
		values[i] = draw[coordinate]
	}
	return stat.StdDev(values, nil)
}

// Distance returns how far a point is from its fifth nearest draw, as a multiple of the distance
// that 99 % of the draws keep: up to 1 the point is near.
func (n *Neighbours) Distance(point []float64) float64 {
	return n.reach(n.scaled(point), nearest) / n.radius
}

// Inside reports whether a point is as near to the draws as 99 % of them are to each other.
func (n *Neighbours) Inside(point []float64) bool { return n.Distance(point) <= 1 }

func (n *Neighbours) scaled(point []float64) []float64 {
	result := make([]float64, len(n.scale))
	for j, scale := range n.scale {
		result[j] = point[j] / scale
	}
	return result
}

// reach returns the distance of a scaled point from its k-th nearest draw. The draws are sorted by
// their first coordinate, so the search goes outwards until that alone is too far.
func (n *Neighbours) reach(point []float64, k int) float64 {
	best := make([]float64, 0, k+1) // squared distances, the smallest first
	try := func(draw []float64) bool {
		first := draw[0] - point[0]
		if len(best) == k && first*first >= best[k-1] {
			return false
		}
		var square float64
		for j, value := range draw {
			square += (value - point[j]) * (value - point[j])
		}
		place := sort.SearchFloat64s(best, square)
		if place < k {
			best = slices.Insert(best, place, square)
			best = best[:min(k, len(best))]
		}
		return true
	}
	start := sort.Search(len(n.draws), func(i int) bool { return n.draws[i][0] >= point[0] })
	for i := start; i < len(n.draws) && try(n.draws[i]); i++ {
	}
	for i := start - 1; i >= 0 && try(n.draws[i]); i-- {
	}
	return math.Sqrt(best[len(best)-1])
}

// percentile returns the value that 99 % of sorted values don't exceed.
func percentile(sorted []float64) float64 {
	return sorted[int(math.Ceil(0.99*float64(len(sorted))))-1]
}
