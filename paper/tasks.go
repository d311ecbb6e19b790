package paper

import (
	"cmp"
	_ "embed"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
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
	score.Method
	Cards  []nbbnn.Card // of the runs
	Gain   string       // with its 95 % t-interval over the seeds
	Repeat string       // the command, in the folder of the tasks

	TrainingError, Seconds string // of costs

	change float64 // from the reference in the task's metric
}

// readTasks reads the records of all tasks in a folder of results, nil if it has none.
func readTasks(folder string) (all []task, err error) {
	there, _ := filepath.Glob(filepath.Join(folder, tasksFolder, "*"))
	for _, path := range there {
		known, name := tasks(), filepath.Base(path)
		at := slices.IndexFunc(known, func(t task) bool { return t.Folder == name })
		switch {
		case name == "README.md":
			continue
		case at < 0:
			return nil, fmt.Errorf("paper: %s is no task: put records into the folder %s or %s "+
				"next to it", path, known[0].Folder, known[1].Folder)
		}
		known[at].Entries, err = known[at].read(path)
		if all = append(all, known[at]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// read returns the entries of a task's folder: of all seeds first, the best before others.
func (t task) read(folder string) (entries []entry, err error) {
	runs, err := openRecords(folder)
	if err != nil {
		return nil, err
	}
	cards := map[string]nbbnn.Card{} // by their runs' names
	for _, run := range runs {
		if cards[filepath.Base(run.Directory())], err = t.check(run); err != nil {
			return nil, fmt.Errorf("paper: %s: %w", records.Path(run.Directory(), ""), err)
		}
	}
	compared, err := nbbnn.Compare(runs, t.Evaluation, "")
	if err != nil {
		return nil, err
	}
	reference := slices.IndexFunc(compared.Methods, func(m score.Method) bool {
		return slices.Contains(m.Runs, t.reference)
	})
	if reference < 0 {
		return nil, fmt.Errorf("paper: %s lacks the record of run %s, from which gains count: "+
			"put it back", folder, t.reference)
	}
	compared.Baseline = compared.Methods[reference].Name
	changes, err := report.FromBaselines(compared, metricOf(t.Metric))
	if err != nil {
		return nil, err
	}
	for i, parts := range settings(compared) {
		method := compared.Methods[i]
		e := newEntry(folder, method, cards)
		if e.Name = cmp.Or(strings.Join(parts, ", "), method.Name); i == reference {
			e.Name = method.Title
		}
		for _, change := range changes {
			if change.Method == method.Name {
				e.gains(change.Corrupted)
			}
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b entry) int {
		return cmp.Or(len(b.Seeds)/taskSeeds-len(a.Seeds)/taskSeeds,
			cmp.Compare(a.change, b.change))
	})
	return entries, nil
}

// newEntry returns the entry of a method, without its name and what it gains.
func newEntry(folder string, method score.Method, cards map[string]nbbnn.Card) entry {
	e := entry{Method: method, Gain: "–", Repeat: repeat(folder, method.Runs)}
	for _, run := range method.Runs {
		e.Cards = append(e.Cards, cards[run])
	}
	e.TrainingError, e.Seconds = e.costs()
	return e
}

// settings lists, for each method, all that distinguishes it: the name in a comparison has the
// first three.
func settings(compared score.Comparison) [][]string {
	var all []fields.Titled
	for _, m := range compared.Methods {
		config := m.Settings.(nbbnn.Config)
		of := config.Settings()
		for _, f := range fields.Of(reflect.TypeFor[nbbnn.Config]()) {
			if !options.Has(f, config.Method, of) { // MAP has no posterior
				f.In(&config).SetZero()
			}
		}
		all = append(all, fields.Titled{Title: m.Title, Config: config})
	}
	return fields.Differences(all)
}

// repeat returns the command that verifies the records of runs, in the folder above theirs.
func repeat(folder string, runs []string) string {
	var names []string
	for _, run := range runs {
		paths, _ := filepath.Glob(filepath.Join(folder, "*"+run+files.RecordEnding)) // read before
		names = append(names, filepath.Base(folder)+"/"+filepath.Base(paths[0]))
	}
	method, _, _ := strings.Cut(names[0], "-seed")
	same, _ := filepath.Glob(filepath.Join(filepath.Dir(folder), method+"-seed*"))
	if len(runs) > 1 && len(same) == len(runs) {
		names = []string{method + "-seed*"}
	}
	return "nbbnn verify " + strings.Join(names, " ")
}

// openRecords opens the runs of the records in a folder, which has nothing else.
func openRecords(folder string) (runs []*nbbnn.Run, err error) {
	paths, _ := filepath.Glob(filepath.Join(folder, "*"))
	directories, err := records.Directories(paths)
	if err != nil {
		return nil, err
	}
	for i, directory := range directories {
		run, err := nbbnn.OpenDirectory(directory)
		if err != nil {
			return nil, fmt.Errorf("paper: %s: %w", paths[i], err)
		}
		runs = append(runs, run)
	}
	return runs, nil
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
			"%d --first %d`, then keep its record", test.Suite, test.Images, test.Samples,
			test.First)
	} else if err == nil && !cells.Scaled() {
		err = errors.New("its test has no NLL with one temperature")
	}
	card.Evaluation, card.Earlier = run.OnCard(card, test), nil // others' seconds don't count
	return card, err
}

// checkTraining refuses what doesn't follow the task's rules. That the images, the network and the
// method are here, and that the card and the cells belong together, `nbbnn verify` checks.
func (t task) checkTraining(card nbbnn.Card) error {
	config := card.Config
	switch {
	case config.Data != t.Data:
		parts := nbbnn.Differences([]nbbnn.Config{{Data: config.Data}, {Data: t.Data}})
		return fmt.Errorf("it was trained with %s, this task has %s: put it into the folder of "+
			"its task, or train it so", strings.Join(parts[0], ", "), strings.Join(parts[1], ", "))
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
func (e *entry) gains(change score.Summary) {
	e.change = change.Mean
	change.Mean = -change.Mean
	e.Gain = quantity.WithInterval(change.Mean, change.Interval(confidence),
		func(gain float64) string { return quantity.Signed(gain, 3) })
}

// Shown returns the mean over the seeds of a metric over the levels from first to last, "1.461
// [1.389, 1.533]", for few seeds without the 95 % t-interval.
func (e entry) Shown(metric string, first, last, decimals int) string {
	s := score.Summarise(means(e.Method, metric, first, last))
	return quantity.WithInterval(s.Mean, s.Interval(confidence), func(value float64) string {
		return fmt.Sprintf("%.*f", decimals, value)
	})
}

// costs returns the mean error at the end of the trainings, and the mean seconds of training and
// test, "57 + 38".
func (e entry) costs() (wrong, seconds string) {
	sum, total, count := 0.0, costOf(e.Cards), float64(len(e.Cards))
	for _, card := range e.Cards {
		sum += card.Training.Error
	}
	return percent(sum / count), fmt.Sprintf("%.0f + %.0f", total.Training/count,
		total.Testing/count)
}

// Machines names what trained, as in "AMD EPYC, 2 cores, 0123456789ab": the last is a commit.
func (e entry) Machines() (all []string) {
	for _, card := range e.Cards {
		cores := fewCores.FindStringIndex(card.Hardware) // task.check has found it
		source, _, _ := strings.Cut(card.Commit, " ")    // the version of a module has a checksum
		if !strings.HasPrefix(source, "v") {
			source = strings.ReplaceAll(fmt.Sprintf("%.12s", source), "unknown", "no commit")
		}
		all = quantity.AddNew(all, card.Hardware[:cores[1]]+source)
	}
	return all
}

// means returns the mean of a metric over the levels from first to last for each seed, as shown.
func means(method score.Method, metric string, first, last int) (all []float64) {
	for _, cells := range method.Cells {
		levels, _ := metricOf(metric).Levels(cells) // task.check has had them
		all = append(all, metricOf(metric).Shown(score.Summarise(levels[first:last+1]).Mean))
	}
	return all
}
