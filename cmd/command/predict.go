package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/floats"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/dataset/folder"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/report"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// predictOrder holds the settings of a call of `nbbnn predict`.
type predictOrder struct {
	samples int
	out     string
	formats []string
}

func predictCommand(a *app) *cobra.Command {
	var order predictOrder
	command := &cobra.Command{
		Use: "predict RUN... PICTURE...",
		Short: "Say what trained runs see in pictures: class probabilities with their spread " +
			"over draws",
		Long: "Print and draw the class probabilities that trained runs give to PNG, JPEG or " +
			"WebP files, with their standard deviation\n" +
			"over the draws of the noise. Pictures are read as `nbbnn data add` reads them: " +
			"turned upright, cropped to the central\n" +
			"square and scaled to the size that the run was trained on. The answer is one of its " +
			"classes, whatever the picture shows.\n" +
			"The same command draws the same noise.",
		Example: `  nbbnn predict noise photo.jpg
  nbbnn predict ordinary noise birds/*.jpg --samples 64 --out birds-seen
  nbbnn predict noise photo.jpg --json`,
		RunE: func(c *cobra.Command, args []string) error {
			return order.predict(c.Context(), a, withSeeds(a, args))
		},
	}
	f := command.Flags()
	f.IntVar(&order.samples, "samples", 32, "draws of the noise, a multiple of the posterior's "+
		"components; an ordinary network takes one")
	f.StringVar(&order.out, "out", "out", "directory of the drawn answers")
	f.StringSliceVar(&order.formats, "format", []string{"png"},
		"formats of the pictures: png, pdf, svg")
	return command
}

// predict prints and draws the predictions for the pictures by the runs, which are the first
// arguments.
func (o predictOrder) predict(ctx context.Context, a *app, arguments []string) error {
	if err := check.Formats(o.formats...); err != nil {
		return commandline.Usage(err)
	}
	runs, paths, err := runsAndPictures(a, arguments)
	if err == nil {
		err = checkOut("predict", "out", o.out)
	}
	if err != nil {
		return err
	}
	names := drawnNames(runs, paths)
	for _, format := range o.formats {
		files := quantity.Texts(names, func(name string) string { return name + "." + format })
		err := checkReplaced(drawn, "predict", o.out, files...)
		if err != nil {
			return err
		}
	}
	all := make([]seen, len(paths))
	for i, path := range paths {
		all[i].Picture = path
	}
	for _, run := range runs {
		if err := o.ask(ctx, a, run, paths, all); err != nil {
			return err
		}
	}
	var files []string
	for i, picture := range all {
		drawn, err := picture.draw(filepath.Join(o.out, names[i]), o.formats)
		if err != nil {
			return err
		}
		files = append(files, drawn...)
	}
	noteUnsound(a, runs...)
	if a.json {
		return a.printJSON(all)
	}
	a.note("every picture gets one of these %d classes: of anything else, or of pictures unlike "+
		"the training images, the probabilities say nothing", len(all[0].classes))
	for _, picture := range all {
		if err := picture.print(a); err != nil {
			return err
		}
	}
	return a.printPaths("wrote", files...)
}

// drawnNames returns the names of the drawn answers to pictures, without their formats.
func drawnNames(runs []*nbbnn.Run, pictures []string) (names []string) {
	taken := map[string]bool{} // some systems don't part names by their case
	for _, picture := range pictures {
		base := filepath.Base(picture)
		base = "predict-" + strings.TrimSuffix(base, filepath.Ext(base))
		for _, run := range runs {
			base += "-" + titleOf(run)
		}
		// a file's name has at most 255 bytes
		base = strings.ToValidUTF8(base[:min(len(base), 200)], "")
		name := base
		for i := 2; taken[strings.ToLower(name)]; i++ {
			name = fmt.Sprintf("%s-%d", base, i)
		}
		taken[strings.ToLower(name)] = true
		names = append(names, name)
	}
	return names
}

// runsAndPictures takes the runs at the beginning of arguments apart from the paths that follow.
func runsAndPictures(a *app, arguments []string) (runs []*nbbnn.Run, paths []string, err error) {
	for i, argument := range arguments {
		run, err := findRun(a, argument)
		if err != nil && i == 0 {
			return nil, nil, err
		} else if err != nil {
			for _, path := range arguments[i:] {
				paths = quantity.AddNew(paths, path)
			}
			break
		}
		runs = append(runs, run)
	}
	if len(paths) == 0 {
		err = errors.New("nbbnn predict: no picture is given: name files after the runs, as in " +
			"`nbbnn predict noise photo.jpg`")
	}
	for _, path := range paths {
		switch info, found := os.Stat(path); {
		case found != nil:
			err = cmp.Or(err, fmt.Errorf("nbbnn predict: %s is no file, and no run in %s: runs "+
				"come first, then PNG, JPEG or WebP files", path, a.runs))
		case info.IsDir():
			err = cmp.Or(err, fmt.Errorf("nbbnn predict: %s is a folder: name its pictures, as "+
				"in %[1]s/*.jpg", path))
		}
	}
	return runs, paths, commandline.Usage(err)
}

// ask adds a run's prediction to each picture.
func (o predictOrder) ask(ctx context.Context, a *app, run *nbbnn.Run, paths []string,
	all []seen) error {
	if run.Recorded() {
		return commandline.Usagef("nbbnn predict: %s is a record without weights: name "+
			"a run whose checkpoint is here", run.Directory())
	} else if _, err := run.Card(); err != nil {
		return err
	}
	draws := nbbnn.Evaluation{Samples: o.samples}.WithDefaults()
	if err := draws.Validate(max(1, run.Config().Posterior.Components)); err != nil {
		return commandline.Usage(err)
	}
	data, err := dataset.Open(ctx, run.Config().Data.Images())
	if err != nil {
		return err
	}
	first := all[0].images
	switch height, width := data.Test.Height, data.Test.Width; {
	case first.Height == 0:
		images, notes, err := folder.ReadPictures(ctx, height, width, paths...)
		if err != nil {
			return commandline.Usage(err)
		}
		for _, note := range notes {
			a.note("%s", quantity.Printable(note))
		}
		for i := range all {
			all[i].images, all[i].place, all[i].classes = images, i, data.Classes
		}
	case height != first.Height || width != first.Width ||
		!slices.Equal(data.Classes, all[0].classes):
		return commandline.Usagef("nbbnn predict: run %s was trained on other sizes or "+
			"classes than the first: ask only it", run.Directory())
	}
	prediction, err := run.PredictImages(ctx, all[0].images, o.samples)
	if err != nil {
		return err
	}
	for i := range all {
		all[i].add(titleOf(run), prediction)
	}
	return nil
}

// seen holds runs' answers to a picture.
type seen struct {
	Picture string   `json:"picture"`
	Answers []answer `json:"answers"` // of the runs

	images  dataset.Images // of all pictures
	place   int            // of this one
	classes []string
}

// answer is a run's answer to a picture.
type answer struct {
	Run     string        `json:"run"`
	Answer  string        `json:"answer"`  // the most probable class
	Classes []classAnswer `json:"classes"` // by label
}

type classAnswer struct {
	Class       string        `json:"class"`
	Probability score.Summary `json:"probability"` // over the draws
}

// add adds the answer of a run.
func (s *seen) add(run string, p score.Prediction) {
	draws, means := make([][]float64, p.Classes), make([]float64, p.Classes)
	for i, logarithm := range p.Image(s.place) { // [samples, classes]
		draws[i%p.Classes] = append(draws[i%p.Classes], math.Exp(float64(logarithm)))
	}
	one := answer{Run: run}
	for class, values := range draws {
		one.Classes = append(one.Classes, classAnswer{s.classes[class], score.Summarise(values)})
		means[class] = one.Classes[class].Probability.Mean
	}
	one.Answer = s.classes[floats.MaxIdx(means)]
	s.Answers = append(s.Answers, one)
}

// mostAnswers is the most classes that a table has.
const mostAnswers = 10

// likeliest returns the labels of the likeliest classes by the first run's answer, in their order.
func (s seen) likeliest() []int {
	order := make([]int, len(s.classes))
	for class := range order {
		order[class] = class
	}
	mean := func(class int) float64 { return s.Answers[0].Classes[class].Probability.Mean }
	slices.SortStableFunc(order, func(x, y int) int { return cmp.Compare(mean(y), mean(x)) })
	return order[:min(mostAnswers, len(order))]
}

// print prints the probabilities of the likeliest classes.
func (s seen) print(a *app) error {
	table := viz.Table{Header: []string{"class"}}
	for _, one := range s.Answers {
		table.Header = append(table.Header, one.Run+" %")
	}
	for _, class := range s.likeliest() {
		row := []string{s.classes[class]}
		for _, one := range s.Answers {
			row = append(row, quantity.MeanStd(100*one.Classes[class].Probability.Mean,
				100*one.Classes[class].Probability.Std, one.Classes[class].Probability.N, 1))
		}
		table.Rows = append(table.Rows, row)
	}
	if more := len(s.classes) - mostAnswers; more > 0 {
		table.Caption = fmt.Sprintf("and %d more classes: --json has all", more)
	}
	fmt.Fprintf(a.out, "picture  %s\n\n", quantity.Printable(s.Picture))
	return a.printTable(table)
}

// draw draws the bars of the likeliest classes into files of a path without its format.
func (s seen) draw(path string, formats []string) ([]string, error) {
	size := s.images.Height * s.images.Width * 3
	answers := viz.Answers{
		Truth: viz.Unlabelled, Height: s.images.Height, Width: s.images.Width,
		Clean: s.images.Pixels[s.place*size:][:size], Change: filepath.Base(s.Picture),
	}
	order := s.likeliest()
	for _, class := range order {
		answers.Classes = append(answers.Classes, s.classes[class])
	}
	for _, one := range s.Answers {
		drawn := viz.Answer{Name: one.Run}
		for _, class := range order {
			drawn.Probabilities = append(drawn.Probabilities, one.Classes[class].Probability.Mean)
			if one.Classes[class].Probability.N > 1 {
				drawn.Spread = append(drawn.Spread, one.Classes[class].Probability.Std)
			}
		}
		answers.By = append(answers.By, drawn)
	}
	figure, err := viz.AnswerBars(answers)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	return report.SaveFormats(figure, path, formats...)
}
