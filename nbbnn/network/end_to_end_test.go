package network

import (
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/testkit"
)

// The whole chain on a dense network with two layers: latents from given draws, forward pass,
// likelihood, objective, and the gradients of the posterior (oracles.json, end_to_end; METHOD.md
// 3.4, case E).
func TestEndToEndAgreesWithOracles(t *testing.T) {
	type totals struct {
		KL        float64 `json:"KL_sum_over_layers"`
		Entropy   float64 `json:"H_sum_over_layers"`
		Loss      float64 `json:"loss_per_layer_sum"`
		JointKL   float64 `json:"KL_joint"`
		JointLoss float64 `json:"loss_joint"`
		Gradient  struct {
			Mu, Rho [][][]float64
		} `json:"grad_loss_per_layer_sum_numeric"`
	}
	o := testkit.Oracle[struct {
		X                [][]float64
		Y                []uint8
		W1               [][]float64 `json:"W1_in_out"`
		B1               []float64
		W2               [][]float64 `json:"W2_in_out"`
		B2               []float64
		Mu               [][][]float64
		Sigma            [][][]float64
		Eps              [][][]float64
		Gamma            float64
		Beta             float64
		N                int
		PriorStd         float64 `json:"prior_std"`
		Logits           [][]float64
		LogProbs         [][]float64 `json:"log_probs"`
		NLL              float64
		Exact, Reference totals
	}](t, "end_to_end")
	for bound, want := range map[Bound]totals{ExactBound: o.Exact, ReferenceBound: o.Reference} {
		outputs := run(t, func(args []*Node) []*Node {
			x, w1, b1, w2, b2 := operation.RepeatRows(args[0], 2), args[1], args[2], args[3],
				args[4]
			means, rhos, epsilons := args[5:7], args[7:9], args[9:11]
			first := operation.SampleLatents(means[0], rhos[0], epsilons[:1])[0]
			second := operation.SampleLatents(means[1], rhos[1], epsilons[1:2])[0]
			z1, s1 := splitLatents(first, Both, 3)
			z2, s2 := splitLatents(second, Both, 4)
			logits := noisyDense(relu(noisyDense(x, w1, b1, z1, s1)), w2, b2, z2, s2)
			logProbabilities := LogSoftmax(logits)
			g := x.Graph()
			truth := OneHot(Const(g, []int32{int32(o.Y[0]), int32(o.Y[0]), int32(o.Y[1]),
				int32(o.Y[1])}), 2, logits.DType())
			nll := Neg(ReduceAllMean(ReduceSum(Mul(logProbabilities, truth), -1)))
			sigmas := []*Node{standardDeviation(rhos[0]), standardDeviation(rhos[1])}
			terms := termsOf(means, sigmas, o.PriorStd,
				Objective{Bound: bound, Scope: layerScope})
			joint := termsOf(means, sigmas, o.PriorStd,
				Objective{Bound: bound, Scope: jointScope})
			loss := gammaELBO(nll, terms, o.Gamma, Const(g, o.Beta), o.N)
			jointLoss := gammaELBO(nll, joint, o.Gamma, Const(g, o.Beta), o.N)
			values := []*Node{logits, logProbabilities, nll, terms.KL, terms.Entropy, loss,
				joint.KL, jointLoss}
			return append(values, Gradient(loss, means[0], means[1], rhos[0], rhos[1])...)
		}, o.X, o.W1, o.B1, o.W2, o.B2, o.Mu[0], o.Mu[1], inverseSoftplusOf(o.Sigma[0]),
			inverseSoftplusOf(o.Sigma[1]), o.Eps[0], o.Eps[1])
		for i, c := range []struct {
			what      string
			want      any
			tolerance float64
		}{
			{"logits", o.Logits, 1e-12},
			{"log-probabilities", o.LogProbs, 1e-12},
			{"NLL", o.NLL, 1e-12},
			{"KL", want.KL, 1e-12},
			{"entropy", want.Entropy, 1e-12},
			{"loss", want.Loss, 1e-12},
			{"joint KL", want.JointKL, 1e-12},
			{"joint loss", want.JointLoss, 1e-12},
			// the oracle's gradients are numeric
			{"gradient of the means of layer 1", want.Gradient.Mu[0], 1e-8},
			{"gradient of the means of layer 2", want.Gradient.Mu[1], 1e-8},
			{"gradient of rho of layer 1", want.Gradient.Rho[0], 1e-8},
			{"gradient of rho of layer 2", want.Gradient.Rho[1], 1e-8},
		} {
			testkit.Near(t, string(bound)+" bound: "+c.what, outputs[i], c.want, c.tolerance)
		}
	}
}

func inverseSoftplusOf(sigma [][]float64) [][]float64 {
	rho := make([][]float64, len(sigma))
	for k, row := range sigma {
		for _, s := range row {
			rho[k] = append(rho[k], inverseSoftplus(s))
		}
	}
	return rho
}
