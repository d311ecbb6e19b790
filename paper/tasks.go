package paper

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// tasksFolder has a folder of records for each task, in the folder of results.
const tasksFolder = "board"

//go:embed gallery_board.tmpl
var tasksText string

// task asks for the best records of trainings on the same few images in little time.
type task struct {
	Folder, Title string

	Metric     string // of the mean of the levels 1 to 5, by which entries are ordered
	Data       nbbnn.Data
	Evaluation nbbnn.Evaluation // of seed 1; the next seed has the images that follow
	Entries    []entry

	reference string // run of seed 1 of the method that the gain counts from
}

// Limits of the records of every task.
const (
	taskSeconds = 600
	taskCores   = 2
	taskSeeds   = 5
)

func tasks() []task {
	return []task{
		{
			Folder: "cifar10", Metric: NLL, reference: "34827d3c1292",
			Title:      "Lowest NLL under corruption from 5,000 images of CIFAR-10",
			Data:       nbbnn.Data{Name: dataset.CIFAR10, Train: 6000, Validation: 1000},
			Evaluation: nbbnn.Evaluation{Suite: "first8", Images: 500, Samples: 8},
		},
		{
			Folder: "shapes10", Metric: ScaledNLL, reference: "a13654e1d1e7",
			Title:      "Largest gain over MAP after one temperature from 500 drawn images",
			Data:       nbbnn.Data{Name: dataset.Shapes10, Train: 500, Test: 1200},
			Evaluation: nbbnn.Evaluation{Suite: "first8", Images: 200, Samples: 4},
		},
	}
}

// entry is a row of a task's table: the runs of a method.
type entry struct {
	Name, Seeds, NLL, Scaled, Gain, CleanError string // with 95 % t-intervals over the seeds

	TrainingError     string   // at the end, the mean of the seeds, %
	Settings          string   // flags of the network and its training
	Passes            int      // of a prediction
	Training, Testing float64  // seconds, the mean of the runs
	Machines          []string // that trained

	seeds int
	mean  float64 // of the task's metric
}

// readTasks reads the records of all tasks in a folder of results, nil if it has none.
func readTasks(folder string) (all []task, err error) {
	folder = filepath.Join(folder, tasksFolder)
	if _, err := os.Stat(folder); err != nil {
		return nil, nil
	}
	all = tasks()
	there, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, path := range there {
		name := filepath.Base(path)
		if !slices.ContainsFunc(all, func(t task) bool { return t.Folder == name }) &&
			name != "README.md" {
			return nil, fmt.Errorf("paper: %s is no task: put records into %s or %s", path,
				filepath.Join(folder, all[0].Folder), filepath.Join(folder, all[1].Folder))
		}
	}
	for i := range all {
		if all[i].Entries, err = all[i].read(filepath.Join(folder, all[i].Folder)); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read returns the entries of a task's folder: of all seeds first, the best before others.
func (t task) read(folder string) (entries []entry, err error) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*"))
	var runs []*nbbnn.Run
	names, cards := map[string]string{}, map[string]nbbnn.Card{} // by their runs'
	for _, path := range paths {
		directory, err := nbbnn.RecordDirectory(path)
		if err != nil {
			return nil, err
		}
		name := filepath.Base(directory)
		if other := names[name]; other != "" {
			return nil, fmt.Errorf("paper: %s and %s are records of one run: remove one", other,
				path)
		}
		run, err := nbbnn.OpenDirectory(directory)
		if err == nil {
			cards[name], err = t.check(run)
		}
		if err != nil {
			return nil, fmt.Errorf("paper: %s: %w", path, err)
		}
		names[name], runs = path, append(runs, run)
	}
	if names[t.reference] == "" {
		return nil, fmt.Errorf("paper: %s lacks the record of run %s, from which gains count: "+
			"put it back", folder, t.reference)
	}
	compared, err := nbbnn.Compare(runs, t.Evaluation, "")
	if err != nil {
		return nil, err
	}
	for _, method := range compared.Methods {
		if slices.Contains(method.Runs, t.reference) {
			compared.Baseline = method.Name
		}
	}
	changes, err := report.FromBaselines(compared, metricOf(t.Metric))
	if err != nil {
		return nil, err
	}
	for _, method := range compared.Methods {
		e := t.row(method, cards)
		for _, change := range changes {
			if change.Method == method.Name {
				e.gains(change.Corrupted, t.Metric)
			}
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(b.seeds/taskSeeds-a.seeds/taskSeeds, cmp.Compare(a.mean, b.mean))
	})
	return entries, nil
}

// fewCores matches the machines of cards that a task allows.
var fewCores = regexp.MustCompile(fmt.Sprintf(`(^|, )([1-%d]) cores?, `, taskCores))

// check refuses a record that doesn't follow the rules.
func (t task) check(run *nbbnn.Run) (card nbbnn.Card, err error) {
	card, err = run.Card()
	if err = cmp.Or(err, t.checkTraining(card)); err != nil {
		return card, err
	}
	test := t.Evaluation
	test.First = int(card.Seed-1) * test.Images
	if test.First > 0 && run.Evaluated(t.Evaluation) { // which a comparison would take
		return card, errors.New("it was tested on the images of seed 1, too: keep a record of a " +
			"run without that test")
	}
	cells, err := run.Cells(test)
	if lacking := (*nbbnn.UntrainedError)(nil); errors.As(err, &lacking) {
		err = fmt.Errorf("it lacks a test: `nbbnn evaluate RUN --suite %s --images %d --samples "+
			"%d --first %d`, then keep its record", test.Suite, test.Images, test.Samples, test.First)
	} else if err == nil && !cells.Scaled() {
		err = errors.New("its test has no NLL with one temperature")
	}
	return card, err
}

// checkTraining refuses what doesn't follow the task's rules. That the images, the network and the
// method are here, and that the card and the cells belong together, `nbbnn verify` checks.
func (t task) checkTraining(card nbbnn.Card) error {
	config := card.Config
	switch {
	case config.Data != t.Data:
		return fmt.Errorf("it was trained on %+v: this task has %+v", config.Data, t.Data)
	case card.Seed < 1 || card.Seed > taskSeeds:
		return fmt.Errorf("it has seed %d: a task has the seeds 1 to %d", card.Seed, taskSeeds)
	case config.Posthoc != (nbbnn.Posthoc{}):
		return errors.New("it begins with weights of another training: begin with random ones")
	case card.CommitModified:
		return errors.New("its program had changes that aren't in a commit: train without them")
	case !engine.HasEqualBits(card.Engine) || !fewCores.MatchString(card.Hardware):
		return fmt.Errorf("%s on %s trained it: train by the AVX2 or AVX-512 kernels on at most "+
			"%d cores (GOMAXPROCS=%[3]d)", card.Engine, card.Hardware, taskCores)
	case card.WallSeconds > taskSeconds:
		return fmt.Errorf("its training took %.0f s: a task allows %d s", card.WallSeconds,
			taskSeconds)
	}
	return nil
}

// gains writes how far a method is below the reference in the task's metric.
func (e *entry) gains(change score.Summary, metric string) {
	if metric == ScaledNLL { // seeds that are missing have other images
		e.mean = change.Mean
	}
	change.Mean = -change.Mean
	e.Gain = quantity.WithInterval(change.Mean, change.Interval(confidence),
		func(gain float64) string { return quantity.Signed(gain, 3) })
}

// row returns the entry of a method, given the cards of all runs by their names.
func (t task) row(method score.Method, cards map[string]nbbnn.Card) entry {
	e := entry{Name: method.Name, Seeds: fmt.Sprint(len(method.Seeds)), seeds: len(method.Seeds),
		NLL: withInterval(underCorruptions(method, NLL), places(3)), Gain: "–",
		Scaled:     withInterval(underCorruptions(method, ScaledNLL), places(3)),
		Passes:     method.Cells[0][0].Samples,
		CleanError: withInterval(means(method, Error, 0, 0), places(1))}
	if e.seeds < taskSeeds {
		e.Seeds += fmt.Sprintf(" of %d", taskSeeds)
	}
	if t.Metric == NLL {
		e.mean = score.Summarise(underCorruptions(method, NLL)).Mean
	}
	var own []nbbnn.Card
	var fitted []float64
	for _, run := range method.Runs {
		card := cards[run]
		fitted = append(fitted, card.Training.Error)
		if own = append(own, card); !slices.Contains(e.Machines, machineOf(card)) {
			e.Machines = append(e.Machines, machineOf(card))
		}
	}
	e.TrainingError = percent(score.Summarise(fitted).Mean)
	c := own[0].Config
	e.Settings = fmt.Sprintf("--network %s --width %d --epochs %d --batch %d --learning-rate %g",
		c.Network.Name, c.Network.Width, c.Training.Epochs, c.Training.Batch,
		c.Training.LearningRate)
	if c.Training.NoAugmentation {
		e.Settings += " --no-augmentation"
	}
	total, count := costOf(own), float64(len(own))
	e.Training, e.Testing = math.Round(total.Training/count), math.Round(total.Testing/count)
	return e
}

// machineOf returns "AMD EPYC, 2 cores, 0123456789ab": the last is a commit.
func machineOf(card nbbnn.Card) string {
	cores := fewCores.FindStringIndex(card.Hardware) // task.check has found it
	source, _, _ := strings.Cut(card.Commit, " ")    // the version of a module has a checksum
	if !strings.HasPrefix(source, "v") {
		source = strings.ReplaceAll(fmt.Sprintf("%.12s", source), "unknown", "no commit")
	}
	return card.Hardware[:cores[1]] + source
}

// underCorruptions returns the mean of a metric over the levels 1 to 5 for each seed.
func underCorruptions(method score.Method, metric string) []float64 {
	return means(method, metric, 1, score.LevelCount-1)
}

// means returns the mean of a metric over the levels from first to last for each seed, as shown.
func means(method score.Method, metric string, first, last int) (all []float64) {
	for _, cells := range method.Cells {
		levels, _ := metricOf(metric).Levels(cells) // task.check has had them
		all = append(all, metricOf(metric).Shown(score.Summarise(levels[first:last+1]).Mean))
	}
	return all
}

// withInterval returns "1.461 [1.389, 1.533]", for few seeds without the 95 % t-interval.
func withInterval(values []float64, write func(float64) string) string {
	s := score.Summarise(values)
	return quantity.WithInterval(s.Mean, s.Interval(confidence), write)
}

// places writes a number of decimals, without a sign above zero.
func places(decimals int) func(float64) string {
	return func(value float64) string { return strconv.FormatFloat(value, 'f', decimals, 64) }
}
