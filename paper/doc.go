// Package paper holds the figures of "Tackling covariate shift with node-based Bayesian neural
// networks" (Trinh, Heinonen, Acerbi, Kaski, ICML 2022) as code. A Figure says which runs it needs
// at each scale (Runs). Train and Evaluate do its missing work and return a Result, which draws
// itself (Draw), checks itself (Checks) and decides the figure's claims (Verdicts).
//
// One call makes a figure with everything that it needs:
//
//	result, files, err := paper.Make(ctx, paper.Figure03, paper.Smoke, paper.Options{Runs: "runs", Out: "out"})
//
// A notebook makes it step by step. Every step opens the runs again from their directories and
// computes only what is missing, so a cell that has run before takes well under a second, also in a
// new process:
//
//	figure, options := paper.Figure03, paper.Options{Runs: "runs"}
//	result, err := figure.Train(ctx, paper.Smoke, options)    // a picture of the entropy can be drawn now
//	result, err = figure.Evaluate(ctx, paper.Smoke, options)  // and now the curves against the corruption level
//	entropy, err := result.EntropyFigure()
//	levels, err := result.LevelFigure(paper.NLL)
//	fmt.Print(result.Verdicts())
//
// A claim consists of Effects: differences between two methods, paired by the seeds, each with a 95
// % t-interval. It holds if every interval lies on its claimed side of zero, fails if one lies on
// the other side, and is undecided otherwise. A claim that two are alike needs intervals within its
// margin, for NLL 0.03 nats, twice what the paper's own optima differ by. Fewer than five seeds
// decide nothing ("seen in 2 of 2 seeds"), and the smoke scale illustrates without a verdict. Each
// claim says whether the paper makes it or we do. A check is a statement that is true whatever the
// networks have learnt, so it tests the code; a CheckResult counts how often it was true.
//
// Figures are plain values. Figure03.With(M(0.64)) has a third curve, and Figure03.Adjust changes
// the set-up that its runs share. Overview lists all figures with their runs, verdicts and missing
// work.
package paper
