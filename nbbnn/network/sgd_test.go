package network

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
)

type trajectoryOracle struct {
	P           []float64
	LR          float64
	Momentum    float64
	WeightDecay float64 `json:"weight_decay"`
	Grads       [][]float64
	Trajectory  [][]float64
}

func TestNesterovTrajectoryAgreesWithOracles(t *testing.T) {
	o := oracle[trajectoryOracle](t, "optimisers", "nesterov")
	var parameter, buffer any = o.P, make([]float64, len(o.P))
	for step, gradient := range o.Grads {
		outputs := run(t, func(args []*Node) []*Node {
			p, b := nesterovStep(args[0], args[1], args[2], Const(args[0].Graph(), o.LR), o.Momentum, o.WeightDecay)
			return []*Node{p, b}
		}, parameter, buffer, gradient)
		parameter, buffer = outputs[0], outputs[1]
		near(t, fmt.Sprintf("parameter after step %d", step+1), parameter, o.Trajectory[step], 1e-12)
	}
}

func TestPosteriorTrajectoryAgreesWithOracles(t *testing.T) {
	o := oracle[trajectoryOracle](t, "optimisers", "plain_phi")
	var parameter any = o.P
	for step, gradient := range o.Grads {
		parameter = run(t, func(args []*Node) []*Node {
			return []*Node{plainStep(args[0], args[1], Const(args[0].Graph(), o.LR))}
		}, parameter, gradient)[0]
		near(t, fmt.Sprintf("parameter after step %d", step+1), parameter, o.Trajectory[step], 1e-12)
	}
}
