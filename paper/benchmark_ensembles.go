package paper

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/nbbnn"
)

// members returns the seeds of the ensemble that ends with a seed: Setup.Ensemble consecutive ones,
// such as 1 to 5 for 5. A seed that ends none, or an ensemble of which the set-up lacks a seed, has
// none.
func (s Setup) members(last uint64) (seeds []uint64) {
	size := uint64(max(0, s.Ensemble))
	if size < 2 || last == 0 || last%size != 0 {
		return nil
	}
	for seed := last - size + 1; seed <= last; seed++ {
		if !slices.Contains(s.Seeds, seed) {
			return nil
		}
		seeds = append(seeds, seed)
	}
	return seeds
}

// openEnsemble returns the ensemble whose last member is a run, or nil if the run ends none.
func openEnsemble(s Setup, run *nbbnn.Run) (*nbbnn.Ensemble, error) {
	directory := filepath.Dir(run.Directory())
	var members []*nbbnn.Run
	for _, seed := range s.members(run.Config().Seed) {
		config := run.Config()
		config.Seed = seed
		member, err := nbbnn.Open(directory, config)
		if err != nil {
			return nil, err
		}
		members = append(members, member)
	}
	if len(members) == 0 {
		return nil, nil
	}
	return nbbnn.OpenEnsemble(directory, members...)
}

// withEnsembles returns a benchmark in which the ensembles of each method follow it as a method of
// their own. They have scores and costs, but no directory and no history. Another figure stays as it
// is.
func withEnsembles(r *Result) *Result {
	if !r.Figure.Benchmark {
		return r
	}
	all := *r
	all.Setup.Methods, all.Runs = nil, withCosts(r.Runs)
	for _, method := range r.Setup.Methods {
		all.Setup.Methods = append(all.Setup.Methods, method)
		ensembles := Method{Name: ensemblePrefix + method.Name, Row: method.Row, Change: method.Change}
		before := len(all.Runs)
		for _, run := range all.Runs[:before] {
			if run.Method == method.Name && run.Row == method.Row && len(run.Ensemble) > 0 {
				all.Runs = append(all.Runs, RunResult{
					Run: Run{Method: ensembles.Name, Row: method.Row, Seed: run.Seed}, Cells: run.Ensemble,
					Cost: ensembleCost(&all, run),
				})
			}
		}
		if len(all.Runs) > before {
			all.Setup.Methods = append(all.Setup.Methods, ensembles)
		}
	}
	return &all
}

// ensemblePrefix begins the names of ensembles.
const ensemblePrefix = "ens "

// onlyEnsembles returns the part of a result with ensembles that are ensembles, under the names of
// their methods, or the rest.
func onlyEnsembles(r *Result, wanted bool) *Result {
	part := r.only(func(method, _ string) bool { return strings.HasPrefix(method, ensemblePrefix) == wanted })
	for i := range part.Setup.Methods {
		part.Setup.Methods[i].Name = strings.TrimPrefix(part.Setup.Methods[i].Name, ensemblePrefix)
	}
	for i := range part.Runs {
		part.Runs[i].Method = strings.TrimPrefix(part.Runs[i].Method, ensemblePrefix)
	}
	return part
}
