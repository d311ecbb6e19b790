package main

import (
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/paper"
)

// saveComparison draws evaluated runs, those of a method together, into a directory and returns the paths of the files.
func saveComparison(directory string, runs []*nbbnn.Run, methods []nbbnn.Comparison, evaluation nbbnn.Evaluation) ([]string, error) {
	compared := paper.Compared{Suite: methods[0].Levels.Suite}
	for _, method := range methods {
		scored := paper.Scored{Name: method.Name}
		for _, run := range runs {
			config := run.Config()
			config.Seed = 0
			if config != method.Config {
				continue
			}
			cells, err := run.Cells(evaluation)
			if err != nil {
				return nil, err
			}
			scored.Runs = append(scored.Runs, cells)
		}
		compared.Methods = append(compared.Methods, scored)
	}
	return compared.Save(directory)
}
