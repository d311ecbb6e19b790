package paper

import (
	"cmp"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	setting "github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// Figure is a figure of the paper as code: its runs, their measurements, the drawing and the
// claims.
type Figure struct {
	Number int
	// of a figure of ours, whose number is 0, for example demo; "" of the paper's
	Key string
	// its number in the paper's appendix, which repeats it; 0 if it doesn't
	Again int
	Title string // the paper's finding, in one sentence
	// of our runs' finding, which the picture has as its title
	headline headline
	// the zero Setup if the figure doesn't have the scale
	Runs      func(Scale) Setup
	collect   measurement                        // measures each trained run
	draw      func(*Result) (*viz.Figure, error) // of pages, if possible of four panels at most
	whole     func(*Result) (*viz.Figure, error) // all panels, if draw leaves some out
	benchmark bool                               // also reports each method's cost
	claims    []claim
	checks    []check
	published []publishedCurve // the paper's public curves
}

// measurement measures each trained run of a figure and writes the numbers: tests on images, with
// the comparison of components on top of them, answeredMeasurement and crossMeasurement on implicit
// corruptions, cloudMeasurement and planeMeasurement of outputs, and historyMeasurement of only the
// training.
type measurement interface {
	// validate checks the measurement of a run with a filled configuration.
	validate(s Setup, config nbbnn.Config) error

	// describe returns the test: "first8: 8 corruptions x 5 levels + clean, 16 samples".
	describe(s Setup) string

	// operations returns the floating-point operations of measuring one run.
	operations(s Setup, config nbbnn.Config) float64

	// done reports whether a trained run keeps the whole measurement.
	done(s Setup, run *nbbnn.Run) bool

	// measure computes the missing part of a run's measurement and puts all of it into the result.
	measure(ctx context.Context, r *Result, run int, progress nbbnn.Progress) error

	// numbers returns the numbers of a measured result.
	numbers(r *Result) numbers
}

// Figures returns the figures that can be made: of the paper, in its order, and of ours.
func Figures() (paper, ours []Figure) {
	return []Figure{
		figure01, figure02, Figure03, figure04, figure05, figure06, figure07, figure08, figure09,
		figure10, figure11, figure12, figure13, figure16, figure17, figure18, figure19, figure20,
		figure21, figure22, figure23, figure24,
	}, []Figure{Demo, latentScale, batchStatistics, components, exactPosterior}
}

// all returns the paper's figures and ours.
func all() []Figure {
	paper, ours := Figures()
	return append(paper, ours...)
}

// ByNumber returns the figure with the given number in the paper, where 14 and 15 are 10 and 11
// again. 0 is Demo.
func ByNumber(number int) (Figure, error) {
	if number == 0 {
		return Demo, nil
	}
	return ByName(strconv.Itoa(number))
}

// ByName returns the figure that the command line calls by a name: its number, or the key of one of
// ours.
func ByName(name string) (Figure, error) {
	if number, err := strconv.Atoi(name); err == nil {
		name = strconv.Itoa(number)
	}
	var known []string
	for _, figure := range all() {
		if name == figure.Command() || figure.Again > 0 && name == strconv.Itoa(figure.Again) {
			return figure, nil
		}
		known = append(known, figure.Command())
	}
	return Figure{}, fmt.Errorf("paper: figure %q isn't available: choose one of %s", name,
		strings.Join(known, ", "))
}

// With returns the figure with further methods, for example Figure03.With(M(0.64)).
func (f Figure) With(methods ...Method) Figure {
	return f.Adjust(func(s *Setup) { s.Methods = append(slices.Clone(s.Methods), methods...) })
}

// Adjust returns the figure with a change to its set-up, at every scale.
func (f Figure) Adjust(change func(*Setup)) Figure {
	original := f.Runs
	f.Runs = func(scale Scale) Setup {
		setup := original(scale)
		change(&setup)
		return setup
	}
	return f
}

// Name returns the beginning of the names of the figure's files: figure-03, or demo.
func (f Figure) Name() string {
	if f.Number == 0 {
		return cmp.Or(f.Key, "demo")
	}
	return fmt.Sprintf("figure-%02d", f.Number)
}

// Command returns the figure's name on the command line: its number, or demo.
func (f Figure) Command() string {
	if f.Number == 0 {
		return f.Name()
	}
	return fmt.Sprint(f.Number)
}

// replacesData reports whether the figure takes Shapes10 at a scale because CIFAR-10 isn't here, as
// figures on CIFAR-10 do at quick.
func (f Figure) replacesData(scale Scale) bool {
	takes := func(s Scale) bool { return f.Runs(s).Config.Data.Name == dataset.Shapes10 }
	return scale == Quick && takes(Quick) && !takes(Desk)
}

// scales lists the scales at which the figure has runs.
func (f Figure) scales() []Scale {
	return slices.DeleteFunc(slices.Clone(Scales), func(s Scale) bool {
		return len(f.Runs(s).Methods) == 0
	})
}

// Validate checks that the figure can be made at a scale: its methods, and the configuration and
// the measurement of each run. It reads no data and writes nothing.
func (f Figure) Validate(scale Scale) error {
	_, err := f.setup(scale)
	return err
}

// setup returns the checked set-up at a scale, with the defaults of the evaluation filled in.
func (f Figure) setup(scale Scale) (Setup, error) {
	if err := setting.Known("scale", scale, Scales...); err != nil {
		return Setup{}, err
	}
	setup := f.Runs(scale)
	setup.Evaluation = setup.Evaluation.WithDefaults()
	return setup, setup.validate(f)
}

// publishedCurve is a curve of the paper: the mean and the standard deviation over its runs at the
// levels 0 to 5. It is drawn with runs on the same data set and network.
type publishedCurve struct {
	Data, Network, Method, Metric string
	Corruptions                   int // over which levels 1 to 5 are averaged; 0 if unknown
	Mean, Std                     [score.LevelCount]float64
}

// publishedSweeps are the curves of the paper's Figure 6 or 8, with noise on the outputs: the mean
// negative log-likelihood over its runs, at the same step of gamma / K from 0 on.
type publishedSweeps struct {
	Network, Data string
	LabelNoise    float64
	Curves        []struct {
		Split string
		K     int
		NLL   []float64
	}
}

// publishedStep is the step of gamma / K of the paper's sweeps.
const publishedStep = 4

//go:embed published.json
var publishedText []byte

// published holds the paper's numbers (METHOD.md section 6).
var published = readPublished()

// publishedNumbers are the numbers of the paper by figure and table.
type publishedNumbers struct {
	Figure3 []publishedCurve // on the right: means over 25 runs and all 19 corruptions
	// ResNet18 on CIFAR-100, read off a slide: three methods, no ensembles; few standard deviations
	Figure10 []publishedCurve
	// PreActResNet18 on TinyImageNet; whether they average 15 or 19 corruptions isn't known
	Figure11 []publishedCurve

	// VGG16 on CIFAR-100 with noise on the outputs: means over 5 runs and 19 corruptions
	Figure6 publishedSweeps
	// with 40 % of wrong labels: ResNet18 on CIFAR-10 with four components, means over its runs
	Figure8 publishedSweeps

	// Figure5 are means over 10 runs for four lambdas. Its clean values differ a little from lambda
	// to lambda.
	Figure5 []struct {
		Method, By string
		NLL        []float64
	}

	// seconds of a training on a V100, by network and data set, then by method
	Table2 map[string]map[string]int
}

func readPublished() (numbers publishedNumbers) {
	if err := json.Unmarshal(publishedText, &numbers); err != nil {
		panic(err) // the file is ours
	}
	return numbers
}
