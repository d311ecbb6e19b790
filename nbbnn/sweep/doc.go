// Package sweep plans many runs, and does them one at a time wherever a scheduler starts them. It
// is no scheduler: a manifest lists the points, and whoever starts a process with the index of a
// point gets it trained and tested.
//
//	manifest, err := sweep.New(configs, &nbbnn.Evaluation{})
//	err = manifest.Write("m.json")           // once
//	point, err := manifest.Open("runs", 7)   // on any machine that sees the runs
//	err = point.Do(ctx, nbbnn.TrainOptions{})
package sweep
