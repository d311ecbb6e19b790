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
	gap  []float64 // of MAP, nats
	wins []float64 // a metric of the noisy network minus MAP's, mean of levels 1 to 5
}

// chosenGamma stands for the gamma that the validation images of the other seeds choose.
const chosenGamma = -1

// gapPoints returns the points of a network, or of all if its name is "".
func gapPoints(r *Result, metric, network string, gamma float64) (points []gapPoint) {
	for _, name := range r.rows() {
		if network != "" && !strings.HasPrefix(name, network+",") {
			continue
		}
		row := r.row(name)
		wins := lowerEffect(metric, "", noisyValues(row, metric, gamma), valuesOn(row, metric, mapName, corruptedSplit))
		var gaps []float64
		for _, run := range row.of(mapName) {
			gaps = append(gaps, heldOutGap(run))
		}
		points = append(points, gapPoint{name, gaps, wins.Differences})
	}
	return points
}

// noisyValues returns a metric under corruption of the networks with a gamma.
func noisyValues(row *Result, metric string, gamma float64) []float64 {
	if gamma != chosenGamma {
		return valuesOn(row, metric, gammaName(gamma), corruptedSplit)
	}
	var gammas sweepCurve
	for _, method := range row.methodNames() {
		if method != mapName {
			gammas.methods = append(gammas.methods, method)
		}
	}
	return gammas.chosen(row, metric)
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
func gapClaim(text, metric string, primary bool, effects func(r *Result, metric, unit string) []Effect) Claim {
	claim := Claim{
		Text: text, Source: Ours, Primary: primary, Levels: true, Methods: []string{mapName, gammaName(gapGamma)},
		Effects: func(r *Result) []Effect { return effects(r, metric, unitOf(metricOf(metric))) },
	}
	if metric == ScaledNLL {
		claim.Needs = temperature
	}
	return claim
}

func gapSlopes(r *Result, metric, unit string) []Effect { return slopeOf(r, metric, unit, "") }

// slopeOf is the slope over the points of a network, or of all if its name is "".
func slopeOf(r *Result, metric, unit, network string) []Effect {
	points := gapPoints(r, metric, network, gapGamma)
	if len(points) < 2 {
		return nil
	}
	_, slope := gapLines(points)
	name := fmt.Sprintf("%s - MAP, mean of levels 1 to 5, slope against the gap%s", gammaName(gapGamma), " of "+network)
	return []Effect{newEffect(strings.TrimSuffix(name, " of "), unit+" a nat", belowZero, slope)}
}

// gapSlopesOfNetworks is gapSlopes within each network, if there are several.
func gapSlopesOfNetworks(r *Result, metric, unit string) (effects []Effect) {
	for _, network := range gapNetworks {
		effects = append(effects, slopeOf(r, metric, unit, network.name)...)
	}
	if len(effects) < 2 {
		return nil
	}
	return effects
}

// atLeastGap is what noise wins at the point with the smallest gap, in the mean over the seeds.
func atLeastGap(r *Result, metric, unit string) []Effect {
	points := gapPoints(r, metric, "", gapGamma)
	least := slices.MinFunc(points, func(a, b gapPoint) int { return cmp.Compare(score.Summarise(a.gap).Mean, score.Summarise(b.gap).Mean) })
	name := fmt.Sprintf("%s - MAP, mean of levels 1 to 5, %s", gammaName(gapGamma), least.row)
	return []Effect{newEffect(name, unit, belowZero, least.wins)}
}

// gapWithoutWin is the gap at which the line of each seed says that noise wins nothing.
func gapWithoutWin(r *Result, metric, _ string) []Effect {
	points := gapPoints(r, metric, "", gapGamma)
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
// gap, nats. Its threshold is a convention: figure gap asks for the measured one.
func GapText(nats float64) string {
	if nats < comparableGap {
		return fmt.Sprintf("gap %.2f nats from training to validation images: noise on the nodes, or more of it, has little to win here", nats)
	}
	return fmt.Sprintf("gap %.2f nats from training to validation images: noise on the nodes, or more of it (--gamma 16), may lower the NLL", nats)
}
