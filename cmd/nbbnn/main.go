// Command nbbnn trains node-based Bayesian neural networks, evaluates them under corruption and
// makes the figures of "Tackling covariate shift with node-based Bayesian neural networks" (ICML
// 2022):
//
//	nbbnn figure 3 --scale smoke
package main

import "github.com/nbbnn/workbench/cmd/command"

func main() { command.Main() }
