package paper

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/implicit"
)

func TestPlan(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	plan := testkit.Must(Figure03.Plan(Smoke, Options{Runs: runs}))(t)
	if _, err := os.Stat(runs); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the plan has created %s (%v)", runs, err)
	}
	if len(plan.Runs) != 4 || plan.Trained != 0 || plan.operations() <= 0 || plan.Disk <= 0 {
		t.Errorf("plan is %+v, want 4 runs, none of them trained", plan)
	}
}

// A run that is in several curves is planned once.
func TestPlanHasEachRunOnce(t *testing.T) {
	runs := t.TempDir()
	for _, figure := range all() {
		scale := figure.scales()[0]
		plan := testkit.Must(figure.Plan(scale, Options{Runs: runs}))(t)
		seen := map[string]string{}
		for _, run := range plan.Runs {
			if other := seen[run.Directory]; other != "" {
				t.Errorf("figure %s has %s twice, as %s and %s", figure.Command(), run.Directory,
					other, run.Name)
			}
			seen[run.Directory] = run.Name
		}
	}
}

// The benchmark's MAP networks take one sample of those that its test asks for.
func TestPlanHasTheSamplesOfItsRuns(t *testing.T) {
	plan := testkit.Must(figure10.Plan(Desk, Options{Runs: t.TempDir()}))(t)
	if want := ", 1 to 8 samples"; !strings.HasSuffix(plan.Test, want) {
		t.Errorf("the plan's test is %q, want %q", plan.Test, want)
	}
}

// A plan names its runs, and in few words many seeds and what is done.
func TestPlanString(t *testing.T) {
	plan := Plan{Methods: []string{"a", "b", "c"}, Seeds: []uint64{1, 2, 3, 5, 8},
		Runs: make([]RunPlan, 2), Trained: 1}
	done := Plan{Methods: []string{"M16"}, Seeds: quantity.FirstSeeds(25),
		Runs: make([]RunPlan, 1), Trained: 1, Measured: 1}
	for want, plan := range map[string]Plan{
		"2 runs: a, b and c, seeds 1 2 3 5 8 · 1 trained already": plan,
		"1 run: M16, seeds 1 to 25 · nothing left to do":          done,
	} {
		if got := plan.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// The costs of METHOD.md section 6 for one run of the paper: networks, data sets and image sizes.
func TestOperationsOfThePaper(t *testing.T) {
	for _, test := range []struct {
		name                string
		config              nbbnn.Config
		training, test, tol float64
	}{
		{"All-CNN-C", nbbnn.Paper("allcnnc", dataset.CIFAR10), 3.0e16, 1.6e16, 0.02},
		{"VGG16", nbbnn.Paper("vgg16", dataset.CIFAR100), 1.13e17, 1.8e16, 0.02},
		{"ResNet18", nbbnn.Paper("resnet18", dataset.CIFAR10), 2.0e17, 3.2e16, 0.02},
		{"PreActResNet18", nbbnn.Paper("preactresnet18", dataset.TinyImageNet), 8.0e17, 1.3e17,
			0.03},
	} {
		config := test.config.WithDefaults()
		testkit.Near(t, test.name+", training", estimate.Training(config)/test.training, 1,
			test.tol)
		testkit.Near(t, test.name+", test", estimate.Test(config, nbbnn.Evaluation{Samples: 30},
			96)/test.test, 1, test.tol)
	}
}

// What a method costs follows from its passes, samples and copies of the weights (METHOD.md section
// 6): MAP is the measure.
func TestOperationsOfMethods(t *testing.T) {
	filled := func(name baseline.Name) nbbnn.Config {
		return nbbnn.Config{
			Network: nbbnn.Network{Name: "resnet18"}, Data: nbbnn.Data{Name: dataset.CIFAR10},
			Training:  nbbnn.Training{Samples: 1},
			Posterior: nbbnn.Posterior{Mode: nbbnn.Deterministic}, Method: nbbnn.Method{Name: name},
		}.WithDefaults()
	}
	ordinary := filled(baseline.MAP)
	const cells, images, samples = 96, 10000, 16
	other := nbbnn.Evaluation{Samples: samples, Test: dataset.Shapes10Bright}
	testkit.Near(t, "another test set", estimate.Test(ordinary, other, cells)/estimate.Test(
		ordinary, nbbnn.Evaluation{Samples: samples}, cells), 1000.0/images, 1e-9)
	for _, test := range []struct {
		name                       baseline.Name
		training, test, checkpoint float64
	}{
		{baseline.ASAM, 2, 1, 2},
		{baseline.SWAG, 1, samples * (cells*images + 50000.0) / (cells * images), 2 + 2 + 20},
		{baseline.CSGHMC, 1, samples, 2 + 6*5},
	} {
		config := filled(test.name)
		evaluation := nbbnn.Evaluation{Samples: samples}
		testkit.Near(t, string(test.name)+", training",
			estimate.Training(config)/estimate.Training(ordinary), test.training, 1e-9)
		testkit.Near(t, string(test.name)+", test", estimate.Test(config, evaluation,
			cells)/estimate.Test(ordinary, evaluation, cells), test.test, 1e-9)
		testkit.Near(t, string(test.name)+", disk", diskBytes(config)/diskBytes(ordinary),
			test.checkpoint/2, 1e-9)
	}
}

func TestImplicitOperations(t *testing.T) {
	config := nbbnn.Paper("allcnnc", dataset.CIFAR10).WithDefaults()
	one := implicitOperations(config, implicit.Settings{}.WithDefaults(1))
	for expected, times := range map[int]float64{0: 1, 1: 1, 64: 64} {
		got := implicitOperations(config, implicit.Settings{Expected: expected}.WithDefaults(1))
		testkit.Near(t, "search of the mean of draws", got, times*one, 1e-6*one)
	}
}

func TestLeftCountsSharedRunsOnce(t *testing.T) {
	shared := RunPlan{Directory: "shared", Training: 10, Measuring: 1}
	own := RunPlan{Directory: "own", Training: 5, Measuring: 2}
	speed := estimate.Speed{Operations: 2}
	all := []Plan{{Runs: []RunPlan{shared, own}, speed: speed},
		{Runs: []RunPlan{shared}, speed: speed}}
	if got, want := leftOf(all), 19*time.Second/2; got != want {
		t.Errorf("%s are left, want %s: the shared run is trained once and measured twice", got,
			want)
	}
}

// Runs that were trained on different data aren't drawn as one curve.
func TestOtherDataIsRefused(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	result := made(t, tiny(Figure03, 1), options)
	changeCard(t, result.Runs[1].Run.Run, func(card *nbbnn.Card) {
		card.Data.Hash = "0" + card.Data.Hash
	})
	_, err := tiny(Figure03, 1).Evaluate(t.Context(), Smoke, options)
	testkit.Error(t, t.Name(), err, "M32 seed 1 was trained on shapes10-bright with the hash 0")
}

// The whole paper takes a slow machine longer than a duration can hold.
func TestDurationsDontOverflow(t *testing.T) {
	if got := (estimate.Speed{Operations: 1}).Duration(1e20); got != math.MaxInt64 {
		t.Errorf("1e20 seconds are %s, want the longest duration", got)
	}
	testkit.Near(t, "seconds", (estimate.Speed{Operations: 4}).Duration(10).Seconds(), 2.5, 0)
}

// One run of a figure is made alone, found by its name; the plan then lacks the others.
func TestMakeRun(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir()}
	for _, figure := range []Figure{tiny(Figure03, 2), tiny(figure10, 2).Adjust(func(s *Setup) {
		s.Config.Data.Validation, s.Evaluation.Samples = 0, 2
	})} {
		plan := testkit.Must(figure.Plan(Smoke, options))(t)
		last := plan.Runs[len(plan.Runs)-1]
		testkit.NoError(t, figure.MakeRun(t.Context(), Smoke, last.Directory[:8], options))
		if plan, err := figure.Plan(Smoke, options); err != nil || plan.Trained != 1 ||
			!plan.Runs[len(plan.Runs)-1].Trained {
			t.Errorf("figure %d has %d trained runs (%v), want its last", figure.Number,
				plan.Trained, err)
		}
	}
	testkit.Error(t, t.Name(), Figure03.MakeRun(t.Context(), Smoke, "", options),
		`figure 3 has no run ""`)
	testkit.Error(t, t.Name(), Figure03.MakeRun(t.Context(), Smoke, "nothing", options),
		"--plan` lists them")
}

// The rows of a benchmark are made one after the other, each seed by seed.
func TestOrderOfRuns(t *testing.T) {
	plan := testkit.Must(figure10.Adjust(func(s *Setup) {
		s.Seeds = quantity.FirstSeeds(3)
	}).Plan(Paper, Options{Runs: t.TempDir()}))(t)
	if plan.Subject != "resnet18, width 64, cifar10 and cifar100" {
		t.Errorf("the subject is %q", plan.Subject)
	}
	methods := len(plan.Runs) / 6
	for place, want := range map[int]string{
		0: "node-BNN on CIFAR-10 seed 1", 1: "MAP on CIFAR-10 seed 1",
		methods: "node-BNN on CIFAR-10 seed 2", 3 * methods: "node-BNN on CIFAR-100 seed 1",
	} {
		if got := plan.Runs[place].Name; got != want {
			t.Errorf("run %d is %s, want %s", place, got, want)
		}
	}
}

// The published All-CNN-C (METHOD.md 1.2 and 1.3): kernels, channels, strides and sides of the
// outputs of its layers, and its counts.
func TestTable1(t *testing.T) {
	table := testkit.Must(PaperTable(t.Context(), 1, Desk, Options{}))(t)
	want := []string{
		"3 x 3 | 3 to 96 | 1 | 32 x 32", "3 x 3 | 96 to 96 | 1 | 32 x 32",
		"3 x 3 | 96 to 96 | 2 | 16 x 16",
		"3 x 3 | 96 to 192 | 1 | 16 x 16", "3 x 3 | 192 to 192 | 1 | 16 x 16",
		"3 x 3 | 192 to 192 | 2 | 8 x 8",
		"3 x 3 | 192 to 192 | 1 | 8 x 8", "1 x 1 | 192 to 10 | 1 | 8 x 8",
	}
	var got []string
	for _, row := range table.Rows[:len(table.Rows)-1] {
		got = append(got, strings.Join(row[1:5], " | "))
	}
	if !slices.Equal(got, want) {
		t.Errorf("the layers are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if sums := strings.Join(table.Rows[len(want)][5:], " "); sums != "1332682 1066 278814720" {
		t.Errorf("parameters, latents and multiply-adds are %s, want 1332682 1066 278814720", sums)
	}
	_, err := PaperTable(t.Context(), 3, Desk, Options{})
	testkit.Error(t, t.Name(), err, "the paper has no table 3: choose 1")
}

// Table 2 has an estimate where no run is, the mean of the cards where there are some, and the
// paper's seconds.
func TestTable2(t *testing.T) {
	options := Options{Runs: t.TempDir()}
	table := testkit.Must(PaperTable(t.Context(), 2, Smoke, options))(t)
	if methods := 1 + len(baselines); len(table.Rows) != 3*methods {
		t.Errorf("%d rows, want %d: at the smoke scale each benchmark has one data set",
			len(table.Rows), 3*methods)
	}
	if row := table.Rows[0]; row[2] != "0" || !strings.HasPrefix(row[3], "about ") ||
		row[4] != "-" {
		t.Errorf("the first row is %q, want an estimate", row)
	}
	setup := figure10.Runs(Desk)
	for _, method := range setup.Methods {
		config := setup.config(method, 1)
		timed := slices.Contains([]string{nodeBNN, swag, asam}, method.Name)
		row := published.Table2[config.Network.Name+" "+config.Data.Name]
		if got := row[method.Name]; (got > 0) != timed {
			t.Errorf("the paper has %d s for %s", got, method.title())
		}
	}
	if got := published.Table2["resnet18 cifar100"][nodeBNN]; got != 18093 {
		t.Errorf("ResNet18 on CIFAR-100 took %d s, want 18093", got)
	}
}
