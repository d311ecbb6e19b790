// Package nbbnn trains and tests node-based Bayesian neural networks: networks in which each hidden
// node is multiplied by a random latent variable, whose posterior is a mixture of Gaussians trained
// with the gamma-ELBO (Trinh, Heinonen, Acerbi and Kaski, "Tackling covariate shift with node-based
// Bayesian neural networks", ICML 2022). A large entropy of the posterior makes them robust to
// corrupted inputs.
//
// A run is a directory, named by the hash of its configuration. Opening one is cheap and writes
// nothing. Training and evaluating do what is missing, so the same few lines start a run, continue
// an interrupted one, and read a complete one:
//
//	config := nbbnn.Config{ // SmallAllCNNC with another seed: 25 seconds on two cores
//		Network:   nbbnn.Network{Name: "allcnnc", Width: 16},
//		Data:      nbbnn.Data{Name: "shapes10", Train: 500, Test: 500},
//		Posterior: nbbnn.Posterior{Components: 1, InitStd: 0.32},
//		Objective: nbbnn.Objective{Gamma: 0},
//		Training: nbbnn.Training{
//			Epochs: 60, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.1, NoAugmentation: true,
//		},
//		Seed: 1,
//	}
//	run, err := nbbnn.Open("runs", config)
//	...
//	err = run.Train(ctx, nil)                                    // seconds to days; cancelling saves
//	history, err := run.History()                                // loss, entropy and KL of every epoch
//	cells, err := run.Evaluate(ctx, nbbnn.Evaluation{Samples: 16}, nil)
//	levels, err := cells.Levels()                                // NLL, error and ECE at six levels
//	prediction, err := run.PredictImages(ctx, images, 32)        // log-probabilities of images of your own
//
// A prediction averages the probabilities of S samples of the latents, p(y|x) = 1/S sum_s p(y|x,
// Z_s), and the NLL of a test is the mean of -log p(label|x) over the images, in nats: the
// logarithm is outside the average (METHOD.md 3.5). In training it's inside, as the objective asks,
// so the two NLLs differ.
//
// A record is what a committed result keeps of a run: configuration, card and cells, without
// weights.
//
// Package network has the method as graphs: objective, posterior, layers, networks and one training
// step. Package score has the metrics and their means over corruptions and seeds, package implicit
// the search for implicit corruptions. Images are [rows, height, width, channels], and rows are
// image-major: the samples of an image are adjacent, and row i uses component i mod K of the
// posterior.
//
// Every random number is a function of the seed, a stream and a counter, so an interrupted run ends
// with the same weights, bit for bit, as one that was not (on the pure-Go engine). METHOD.md and
// CORRUPT.md are in docs/spec of the repository. The reference of corruptions is the code of
// Hendrycks and Dietterich, hendrycks/robustness on GitHub.
package nbbnn
