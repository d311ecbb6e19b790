// Package curve fits networks with something random in them to points of a curve, one that a page
// can run: it imports only the standard library.
//
//	model := curve.New(curve.Config{Kind: curve.Nodes, Hidden: 16, Gamma: 2, K: 1, Noise: 0.1, Seed: 1})
//	model.Train(curve.Points(), 2000)
//	mean, std := model.Band(curve.Places(), 200)
//
// [Weights], [Nodes], [Dropout] and [Ensemble] are one network, with weights or factors of its
// nodes drawn from something that was learnt. [Process] is the exact answer of a network with
// infinitely many nodes.
package curve
