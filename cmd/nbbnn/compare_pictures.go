package main

import (
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/paper"
)

// saveComparison draws a comparison into a directory and returns the paths of the files.
func saveComparison(directory string, compared score.Comparison) ([]string, error) {
	drawn := paper.Compared{Suite: compared.Suite}
	for _, method := range compared.Methods {
		drawn.Methods = append(drawn.Methods, paper.Scored{Name: method.Name, Runs: method.Cells})
	}
	return drawn.Save(directory)
}
