package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

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

// withEnsembles adds the ensembles of the methods, and notes which of them aren't evaluated.
func withEnsembles(
	a *app, compared score.Comparison, runs []*nbbnn.Run, evaluation nbbnn.Evaluation,
) (score.Comparison, error) {
	all, missing, err := nbbnn.WithEnsembles(a.runs, compared, runs, evaluation)
	for _, name := range missing {
		method, err := compared.Method(name)
		if err != nil {
			return all, err
		}
		_, flags, _ := strings.Cut(evaluateCommandLine("RUN", evaluation.WithDefaults()), "RUN ")
		leaveOutEnsemble(a, name, runsOf(method, runs), flags)
	}
	noteUnsealedEnsembles(a, addedTo(compared, all, a.runs), "cells.csv", "bins.csv", "metrics.csv")
	return all, err
}

// withOutsideEnsembles is withEnsembles for tests of images from outside.
func withOutsideEnsembles(a *app, methods score.OutsideMethods, runs []*nbbnn.Run, order compareOrder) (score.OutsideMethods, error) {
	all, missing, err := nbbnn.WithOutsideEnsembles(a.runs, methods, runs, order.outside, order.evaluation)
	for _, m := range missing {
		m.Evaluation.Suite = score.Clean
		_, flags, _ := strings.Cut(evaluateCommandLine("RUN", m.Evaluation), "--suite "+score.Clean+" ")
		leaveOutEnsemble(a, m.Method, m.Members, "--outside "+quote(order.outside)+" "+flags)
	}
	noteUnsealedEnsembles(a, addedTo(methods.Comparison(), all.Comparison(), a.runs), "outside.csv")
	return all, err
}

// leaveOutEnsemble notes that the ensemble of a method isn't tested, with the command that tests it.
func leaveOutEnsemble(a *app, method string, members []*nbbnn.Run, flags string) {
	var words []string
	for _, run := range members {
		words = append(words, quote(run.Directory()))
	}
	leaveOut(a, fmt.Sprintf("the ensemble of %s: `nbbnn evaluate --ensemble %s %s --runs %s` tests it",
		method, strings.Join(words, " "), flags, quote(a.runs)))
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

// addedTo returns the directories of the ensembles that were added to a comparison.
func addedTo(compared, all score.Comparison, folder string) (directories []string) {
	for _, method := range all.Methods {
		if !slices.Contains(compared.Names(), method.Name) {
			directories = append(directories, filepath.Join(folder, method.Runs[0]))
		}
	}
	return directories
}
