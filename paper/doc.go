// Package paper holds the figures of "Tackling covariate shift with node-based Bayesian neural networks" (Trinh, Heinonen,
// Acerbi, Kaski, ICML 2022) as code: which runs a figure needs at which scale, how their results are collected and drawn,
// and the figure's claims as checks that print holds, fails, not enough seeds or not trained far enough.
//
// One call makes a figure with all that it needs:
//
//	result, files, err := paper.Make(ctx, paper.Figure03, paper.Smoke, paper.Options{Runs: "runs", Out: "out"})
//
// A notebook makes it step by step. Every step opens the runs again from their directories and does only what is missing,
// so a cell that has run before takes well under a second, also in a new process:
//
//	figure, options := paper.Figure03, paper.Options{Runs: "runs"}
//	result, err := figure.Train(ctx, paper.Smoke, options)    // a picture of the entropy can be drawn now
//	result, err = figure.Evaluate(ctx, paper.Smoke, options)  // and now the curves against the corruption level
//	entropy, err := result.EntropyFigure()
//	levels, err := result.LevelFigure(paper.NLL)
//	fmt.Print(result.Verdicts())
//
// A figure on implicit corruptions, such as Figure04, has Result.ImplicitFigure and Result.ImplicitTable in place of the levels.
//
// Figures are plain values. Figure03.With(M(0.64)) has a third curve, and Figure03.Adjust changes what all of its runs share.
package paper
