package paper

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// gapPoint is one network with one number of images. Its numbers are of each seed.
type gapPoint struct {
	row  string
	gap  []float64 // validation NLL minus training NLL of MAP, nats: clean test images share the chance of their choice with corrupted ones
	wins []float64 // a metric of the noisy network minus MAP's, mean of levels 1 to 5
}

// gapPoints returns the points of all networks.
func gapPoints(r *Result, metric string) (points []gapPoint) {
	for _, name := range r.rows() {
		row := r.row(name)
		wins := lowerEffect(metric, "", valuesOn(row, metric, gammaName(gapGamma), corruptedSplit), valuesOn(row, metric, mapName, corruptedSplit))
		points = append(points, gapPoint{name, gapsOf(row.of(mapName), validationSplit), wins.Differences})
	}
	return points
}

// ofNetwork returns the points of a network.
func ofNetwork(points []gapPoint, network string) []gapPoint {
	return slices.DeleteFunc(slices.Clone(points), func(p gapPoint) bool { return !strings.HasPrefix(p.row, network+",") })
}

// gapLines returns each seed's least-squares line through the points: its value at a gap of zero,
// and its slope.
func gapLines(points []gapPoint) (zero, slope []float64) {
	for seed := range points[0].gap {
		x, y := make([]float64, len(points)), make([]float64, len(points))
		for i, p := range points {
			x[i], y[i] = p.gap[seed], p.wins[seed]
		}
		a, b := stat.LinearRegression(x, y, nil, false)
		zero, slope = append(zero, a), append(slope, b)
	}
	return zero, slope
}

// gapClaim compares the noise of gapGamma with none in a metric under corruption.
func gapClaim(text, metric string, effects func(points []gapPoint, unit string) []Effect) Claim {
	return weAsk(text, func(r *Result) []Effect {
		return effects(gapPoints(r, metric), unitOf(metricOf(metric)))
	}).of(mapName, gammaName(gapGamma))
}

// winsOfNoise begins the names of the effects.
var winsOfNoise = gammaName(gapGamma) + " - MAP, mean of levels 1 to 5, "

// gapSlopes is the slope of what noise wins over all points.
func gapSlopes(points []gapPoint, unit string) []Effect { return slopeOf(points, unit, "") }

// gapSlopesOfNetworks is gapSlopes within each network, if there are several.
func gapSlopesOfNetworks(points []gapPoint, unit string) (effects []Effect) {
	for _, network := range gapNetworks {
		effects = append(effects, slopeOf(ofNetwork(points, network.name), unit, " of "+network.name)...)
	}
	if len(effects) < 2 {
		return nil
	}
	return effects
}

func slopeOf(points []gapPoint, unit, of string) []Effect {
	if len(points) < 2 {
		return nil
	}
	_, slope := gapLines(points)
	return []Effect{newEffect(winsOfNoise+"slope against the gap"+of, unit+" a nat", belowZero, slope)}
}

// atLeastGap is what noise wins at the point with the smallest gap, in the mean over the seeds.
func atLeastGap(points []gapPoint, unit string) []Effect {
	least := slices.MinFunc(points, func(a, b gapPoint) int { return cmp.Compare(score.Summarise(a.gap).Mean, score.Summarise(b.gap).Mean) })
	return []Effect{newEffect(winsOfNoise+least.row, unit, belowZero, least.wins)}
}

// gapWithoutWin is the gap at which the line of each seed says that noise wins nothing.
func gapWithoutWin(points []gapPoint, _ string) []Effect {
	if len(points) < 2 {
		return nil
	}
	zero, slope := gapLines(points)
	for seed := range zero {
		if zero[seed] /= -slope[seed]; math.IsInf(zero[seed], 0) {
			zero[seed] = math.NaN() // a level line crosses nowhere
		}
	}
	return []Effect{newEffect(fmt.Sprintf("gap at which %s - MAP is zero", gammaName(gapGamma)), "nats", aboveZero, zero)}
}

// GapText says what noise can win in a network whose validation NLL is above its training NLL by a
// gap, nats. Its threshold lies in the interval that figure gap has found.
func GapText(nats float64) string {
	if nats < comparableGap {
		return fmt.Sprintf("gap %.2f nats from training to validation images: noise on the nodes, or more of it, has little to win here", nats)
	}
	return fmt.Sprintf("gap %.2f nats from training to validation images: noise on the nodes, or more of it (--gamma 16), may lower the NLL", nats)
}
