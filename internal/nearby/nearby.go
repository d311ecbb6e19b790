// Package nearby says how near a point is to draws.
package nearby

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/spatial/kdtree"
	"gonum.org/v1/gonum/stat"
)

// Region is the region of points that are as near to the draws as 99 % of the draws are to each
// other. Nearness is the distance to the fifth nearest draw, in standard deviations of each
// coordinate. Unlike an ellipse it sees a skewed cloud: a point beyond all draws on the steep side
// isn't near, however long the tail on the other side is.
type Region struct {
	draws  *kdtree.Tree // in standard deviations
	scale  []float64    // standard deviation of each coordinate
	radius float64      // to the fifth nearest draw, for 99 % of the draws
}

// neighbours is the place of the draw whose distance counts: a single stray draw makes nothing
// near.
const neighbours = 5

// New returns the region of draws, [draws][coordinates]. The coordinates are
// uncorrelated, as principal components are.
func New(draws [][]float64) (*Region, error) {
	if len(draws) <= neighbours {
		return nil, fmt.Errorf("nearby: %d draws have no %d neighbours: give more", len(draws),
			neighbours)
	}
	r := &Region{}
	for j := range draws[0] {
		values := make([]float64, len(draws))
		for i, draw := range draws {
			values[i] = draw[j]
		}
		scale := stat.StdDev(values, nil)
		if !(scale > 0) || math.IsInf(scale, 0) {
			return nil, fmt.Errorf("nearby: coordinate %d of the draws has the standard deviation "+
				"%g: give draws that vary", j, scale)
		}
		r.scale = append(r.scale, scale)
	}
	points, distances := make(kdtree.Points, len(draws)), make([]float64, len(draws))
	for i, draw := range draws {
		points[i] = r.scaled(draw)
	}
	r.draws = kdtree.New(points, false)
	for i, point := range points {
		distances[i] = r.reach(point, neighbours+1) // the nearest is the draw itself
	}
	slices.Sort(distances)
	most := int(math.Ceil(0.99*float64(len(distances)))) - 1
	if r.radius = distances[most]; r.radius == 0 {
		return nil, errors.New("nearby: nearly all draws are alike: give draws that vary")
	}
	return r, nil
}

// Distance returns a point's distance from its fifth nearest draw, divided by the distance within
// which 99 % of the draws have theirs: up to 1 the point is near.
func (r *Region) Distance(point []float64) float64 {
	return r.reach(r.scaled(point), neighbours) / r.radius
}

func (r *Region) scaled(point []float64) []float64 {
	result := make([]float64, len(r.scale))
	for j, scale := range r.scale {
		result[j] = point[j] / scale
	}
	return result
}

// reach returns the distance of a scaled point from its k-th nearest draw.
func (r *Region) reach(point []float64, k int) float64 {
	nearest := kdtree.NewNKeeper(k)
	r.draws.NearestSet(nearest, kdtree.Point(point))
	return math.Sqrt(nearest.Heap[len(nearest.Heap)-1].Dist)
}
