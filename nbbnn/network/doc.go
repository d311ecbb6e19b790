// Package network is the method of the paper as graphs: stochastic layers, architectures, the
// posterior of the latents, the objective and its entropy bound, noise, and one training step. It
// knows no run directory; package nbbnn keeps runs on top of it.
//
//   - Settings hold the options of a network and its training. Settings.Network.Architecture counts
//     its layers and parameters.
//   - A Model is a network in memory: variables, pixel statistics and an engine. NewModel returns
//     one with initial values, Model.NewPredictor predicts images with it, and Model.NewProgram
//     compiles any other graph of it.
//   - A Stepper trains a Model on images. Its update rule and its hooks are arguments: Nesterov is
//     the rule of the paper.
//   - EntropyBound is the paper's, which GoMLX programs can use alone. On GoMLX's own pure-Go
//     backend, take its option "ops_sequential": its parallel order has a data race and can
//     deadlock.
//
// A training in memory, without a run:
//
//	settings := network.Settings{Network: network.Network{Width: 16}}
//	m, err := network.NewModel(settings, data, network.ModelOptions{})
//	if err != nil {
//		log.Fatal(err)
//	}
//	stepper, err := network.NewStepper(m, data.Train, network.StepperOptions{})
//	if err != nil {
//		log.Fatal(err)
//	}
//	for stepper.Position.Epoch < 2 {
//		losses, err := stepper.Step(ctx)
//		if err != nil {
//			log.Fatal(err)
//		}
//		fmt.Println(losses.NLL / float64(losses.Steps))
//	}
//
// Rows are image-major: B images with L samples each are B*L rows, and row i uses component i mod K
// of the posterior (METHOD.md section 2). Images are [rows, height, width, channels]. Posterior,
// objective and updates are float32 in any Precision. Every random number depends on the seed, the
// name of its stream and a counter, so a training that was stopped continues with the same numbers.
// The noise is made outside the graph (HostNoise) or, on a GPU, in it (DeviceNoise).
//
// METHOD.md and CORRUPT.md are in docs/spec of the repository. The reference is the code that the
// authors of the paper published.
package network
