package nbbnn

import (
	"cmp"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/score"
)

// Comparison is one method among several that were tested alike: the runs whose configurations differ in nothing but the seed.
type Comparison struct {
	Name   string           `json:"name"`   // in what it differs from the other methods, such as "gamma 80, components 4"
	Config Config           `json:"config"` // filled, with seed 0
	Seeds  []uint64         `json:"seeds"`  // in rising order
	Runs   []string         `json:"runs"`   // names of the runs' directories, in the order of the seeds
	Levels score.LevelTable `json:"levels"`
}

// Cells returns what the run scored in an evaluation that is complete, without computing anything.
func (r *Run) Cells(evaluation Evaluation) (score.Cells, error) {
	e, err := newEvaluator(r.directory, "", r.fillEvaluation(evaluation))
	if err != nil {
		return nil, err
	}
	cells, missing := e.have()
	if missing > 0 && !r.Complete() {
		return nil, r.untrained()
	}
	if missing > 0 {
		return nil, fmt.Errorf("nbbnn: run %s misses %d of %d cells of %s with %d samples: Run.Evaluate or `%s` computes them",
			r.directory, missing, missing+len(cells), e.evaluation.label(), e.evaluation.Samples, evaluateCommand(r.directory, e.evaluation))
	}
	return cells, nil
}

// evaluateCommand is the command line that makes an evaluation of a run.
func evaluateCommand(run string, e Evaluation) string {
	words := []string{"nbbnn evaluate", run, "--suite", e.Suite, "--samples", strconv.Itoa(e.Samples)}
	for _, flag := range []struct {
		name, value string
		given       bool
	}{
		{"--images", strconv.Itoa(e.Images), e.Images != 0},
		{"--evaluation-seed", strconv.FormatUint(e.Seed, 10), e.Seed != 0},
		{"--part", string(e.Part), e.Part != TestPart},
		{"--latents", string(e.Latents), e.Latents != ""},
		{"--epoch", strconv.Itoa(e.Epoch), e.Epoch != 0},
		{"--corrupted", e.Corrupted, e.Corrupted != ""},
		{"--textures", e.Textures, e.Textures != ""},
	} {
		if flag.given {
			words = append(words, flag.name, flag.value)
		}
	}
	return strings.Join(words, " ")
}

// Compare takes the runs of each method together and returns the methods in the order of their first runs. Every run must have
// all cells of the evaluation; suite may be that of the evaluation or a smaller one.
func Compare(runs []*Run, evaluation Evaluation, suite string) ([]Comparison, error) {
	var methods []Comparison
	cells := map[Config][]score.Cells{}
	for _, run := range runs {
		method, seed := run.config, run.config.Seed
		method.Seed = 0
		scored, err := run.Cells(evaluation)
		if err != nil {
			return nil, err
		}
		at := slices.IndexFunc(methods, func(c Comparison) bool { return c.Config == method })
		if at < 0 {
			at = len(methods)
			methods = append(methods, Comparison{Config: method})
		}
		if slices.Contains(methods[at].Seeds, seed) {
			return nil, fmt.Errorf("nbbnn: run %s is compared with itself: give each run once", run.directory)
		}
		place, _ := slices.BinarySearch(methods[at].Seeds, seed)
		methods[at].Seeds = slices.Insert(methods[at].Seeds, place, seed)
		methods[at].Runs = slices.Insert(methods[at].Runs, place, filepath.Base(run.directory))
		cells[method] = append(cells[method], scored)
	}
	for i, method := range methods {
		var err error
		if methods[i].Levels, err = score.SummariseLevels(cmp.Or(suite, evaluation.WithDefaults().Suite), cells[method.Config]...); err != nil {
			return nil, err
		}
		methods[i].Name = methodName(method.Config, methods)
	}
	return methods, nil
}

// methodName lists a configuration's values of the fields in which not all methods agree; what they share is left out.
func methodName(config Config, methods []Comparison) string {
	var parts []string
	own := leaves(reflect.ValueOf(config))
	for i, leaf := range own {
		if slices.ContainsFunc(methods, func(c Comparison) bool { return leaves(reflect.ValueOf(c.Config))[i].value != leaf.value }) {
			parts = append(parts, leaf.name+" "+leaf.value)
		}
	}
	if len(parts) == 0 {
		return config.Network.Name
	}
	return strings.Join(parts, ", ")
}

// leaf is one field of a configuration in words.
type leaf struct{ name, value string }

// leaves lists the fields of a struct, and of those in it, by their JSON names.
func leaves(structure reflect.Value) (all []leaf) {
	for i := range structure.NumField() {
		if field := structure.Field(i); field.Kind() == reflect.Struct {
			all = append(all, leaves(field)...)
		} else {
			name := strings.ReplaceAll(jsonName(structure.Type().Field(i)), "_", " ")
			all = append(all, leaf{name, fmt.Sprint(field)})
		}
	}
	return all
}
