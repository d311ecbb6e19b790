package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// comparedPlaces are the directories of what is compared, by the names of the runs and ensembles.
type comparedPlaces map[string]string

// placesOf returns the directories of runs.
func placesOf(runs []*nbbnn.Run) comparedPlaces {
	places := comparedPlaces{}
	for _, run := range runs {
		places[filepath.Base(run.Directory())] = run.Directory()
	}
	return places
}

// ensembles returns the directories that aren't those of the runs.
func (p comparedPlaces) ensembles(runs []*nbbnn.Run) (directories []string) {
	own := placesOf(runs)
	for name, directory := range p {
		if own[name] == "" {
			directories = append(directories, directory)
		}
	}
	return directories
}

// checkEnsembleNames refuses a method with the name that --ensembles gives the ensemble of another.
func checkEnsembleNames(compared score.Comparison) error {
	for _, method := range compared.Methods {
		name := method.Ensemble(nil, "").Name
		if len(method.Runs) > 1 && slices.Contains(compared.Names(), name) {
			return fmt.Errorf("nbbnn compare: --label %q is the name that --ensembles gives the ensemble of %q: choose another label", name, method.Name)
		}
	}
	return nil
}

// withEnsembles adds the ensembles that are wanted after their methods, and their directories to
// places. It notes which of them aren't evaluated.
func withEnsembles(
	a *app, compared score.Comparison, runs []*nbbnn.Run, order compareOrder, places comparedPlaces,
) (score.Comparison, error) {
	all := compared
	all.Methods = nil
	for i, wanted := range order.wantedEnsembles(a, compared, runs) {
		all.Methods = append(all.Methods, compared.Methods[i])
		for _, w := range wanted {
			one := score.Comparison{Suite: compared.Suite, Methods: []score.Method{w.method}}
			found, err := w.find(func(folder string) (bool, error) {
				with, _, err := nbbnn.WithEnsembles(folder, one, runs, order.evaluation)
				if err != nil || len(with.Methods) == 1 {
					return false, err
				}
				ensemble := with.Methods[1]
				places[ensemble.Runs[0]] = filepath.Join(folder, ensemble.Runs[0])
				all.Methods = append(all.Methods, ensemble)
				return true, nil
			})
			if err != nil {
				return all, err
			}
			if !found {
				_, flags, _ := strings.Cut(evaluateCommandLine("RUN", order.evaluation.WithDefaults()), "RUN ")
				w.leaveOut(a, runs, flags)
			}
		}
	}
	noteUnsealedEnsembles(a, places.ensembles(runs), "cells.csv", "bins.csv", "metrics.csv")
	return all, nil
}

// withOutsideEnsembles is withEnsembles for tests of images from outside.
func withOutsideEnsembles(a *app, methods score.OutsideMethods, runs []*nbbnn.Run, order compareOrder) (all score.OutsideMethods, err error) {
	places := placesOf(runs)
	for i, wanted := range order.wantedEnsembles(a, methods.Comparison(), runs) {
		all = append(all, methods[i])
		for _, w := range wanted {
			one := score.OutsideMethods{{Method: w.method, Detections: methods[i].Detections}}
			var missing []nbbnn.MissingOutside
			found, err := w.find(func(folder string) (bool, error) {
				with, lacking, err := nbbnn.WithOutsideEnsembles(folder, one, runs, order.outside, order.evaluation)
				if missing = lacking; err != nil || len(with) == 1 {
					return false, err
				}
				places[with[1].Runs[0]] = filepath.Join(folder, with[1].Runs[0])
				all = append(all, with[1])
				return true, nil
			})
			if err != nil {
				return all, err
			}
			if !found {
				evaluation := missing[0].Evaluation
				evaluation.Suite = score.Clean
				_, flags, _ := strings.Cut(evaluateCommandLine("RUN", evaluation), "--suite "+score.Clean+" ")
				w.leaveOut(a, runs, "--outside "+quote(order.outside)+" "+flags)
			}
		}
	}
	noteUnsealedEnsembles(a, places.ensembles(runs), "outside.csv")
	return all, nil
}

// runsOf returns the runs of a method.
func runsOf(method score.Method, runs []*nbbnn.Run) (own []*nbbnn.Run) {
	for _, run := range runs {
		if slices.Contains(method.Runs, filepath.Base(run.Directory())) {
			own = append(own, run)
		}
	}
	return own
}
