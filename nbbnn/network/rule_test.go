package network

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/schedule"
	"github.com/nbbnn/workbench/internal/testkit"
)

func TestSchedulesAgreeWithOracles(t *testing.T) {
	factors, betas := 0, 0 // compared
	for name, values := range testkit.Oracle[map[string]map[string]any](t, "schedules") {
		of, found := strings.CutPrefix(name, "lr_factor_")
		ramp, isBeta := strings.CutPrefix(name, "beta_")
		for key, want := range values {
			epoch, err := strconv.Atoi(key)
			switch {
			case err != nil:
			case found:
				factors++
				testkit.Near(t, name+" at epoch "+key, schedule.Factor(epoch, atoi(t, of),
					decayFactor), want, 1e-12)
			case isBeta:
				betas++
				_, _, beta := Training{BetaEpochs: atoi(t, ramp)}.Rates(epoch)
				testkit.Near(t, name+" at epoch "+key, beta, want, 1e-12)
			}
		}
	}
	if factors == 0 || betas == 0 {
		t.Errorf("%d factors of the learning rate and %d values of beta compared, want some of "+
			"both",
			factors, betas)
	}
}

func atoi(t *testing.T, s string) int {
	t.Helper()
	return testkit.Must(strconv.Atoi(s))(t)
}

func TestBetaWithoutRamp(t *testing.T) {
	_, _, beta := Training{}.Rates(0)
	testkit.Near(t, "beta", beta, 1.0, 0)
}

type trajectoryOracle struct {
	P           []float64
	LR          float64
	Momentum    float64
	WeightDecay float64 `json:"weight_decay"`
	Grads       [][]float64
	Trajectory  [][]float64
}

func TestNesterovTrajectoryAgreesWithOracles(t *testing.T) {
	o := testkit.Oracle[trajectoryOracle](t, "optimisers", "nesterov")
	var parameter, buffer any = o.P, make([]float64, len(o.P))
	for step, gradient := range o.Grads {
		outputs := run(t, func(args []*Node) []*Node {
			p, b := operation.Descend(args[:1], args[1:2], args[2:], Const(args[0].Graph(), o.LR),
				o.Momentum, o.WeightDecay)
			return append(p, b...)
		}, parameter, buffer, gradient)
		parameter, buffer = outputs[0], outputs[1]
		testkit.Near(t, fmt.Sprintf("parameter after step %d", step+1), parameter,
			o.Trajectory[step], 1e-12)
	}
}

func TestPosteriorTrajectoryAgreesWithOracles(t *testing.T) {
	o := testkit.Oracle[trajectoryOracle](t, "optimisers", "plain_phi")
	var parameter any = o.P
	for step, gradient := range o.Grads {
		parameter = run(t, func(args []*Node) []*Node {
			return operation.DescendPlainly(args[:1], args[1:], Const(args[0].Graph(), o.LR))
		}, parameter, gradient)[0]
		testkit.Near(t, fmt.Sprintf("parameter after step %d", step+1), parameter,
			o.Trajectory[step], 1e-12)
	}
}
