package explorer

import (
	"encoding/binary"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/plot/cmpimg"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// open opens the networks that come with the package.
func open(t *testing.T) *Explorer {
	t.Helper()
	e := testkit.Must(Open(t.Context()))(t)
	return e
}

// regenerate trains the network with the given gamma, rounds its weights to 16 bits, tests it, and
// writes its weights, card and cells: with -regen, in about four minutes of two cores. Runs in the
// folder runs of the repository are kept.
func regenerate(t *testing.T, gamma float64) {
	trained := testkit.Must(nbbnn.Open("../../runs", Config(gamma)))(t)
	if !trained.Complete() {
		testkit.NoError(t, trained.Train(t.Context(), nil))
	}
	whole, name := filepath.Join(t.TempDir(), "whole.safetensors"),
		filepath.Join("networks", fileOf(gamma))
	testkit.NoError(t, trained.Export(t.Context(), whole, nbbnn.ExportOptions{}))
	tensors, metadata, err := safetensors.ReadSealed(whole, "export")
	testkit.NoError(t, err)
	for i := range tensors {
		tensors[i] = rounded(tensors[i])
	}
	testkit.NoError(t, safetensors.WriteSealed(name+".safetensors", "export", tensors, metadata))
	run := testkit.Must(nbbnn.Import(t.Context(), t.TempDir(), Config(gamma),
		name+".safetensors"))(t)
	_, err = run.Evaluate(t.Context(), Evaluation(), nil)
	testkit.NoError(t, err)
	for extension, content := range map[string]any{".card.json": testkit.Must(trained.Card())(t),
		".cells.json": testkit.Must(run.Cells(Evaluation()))(t)} {
		testkit.NoError(t, files.Write(name+extension, func(w io.Writer) error {
			return files.WriteJSON(w, content)
		}))
	}
}

// rounded returns a tensor with the upper half of the bits of each number.
func rounded(tensor safetensors.Tensor) safetensors.Tensor {
	data := make([]byte, 0, len(tensor.Data)/2)
	for bits := range slices.Chunk(tensor.Data, 4) {
		upper := (binary.LittleEndian.Uint32(bits) + 1<<15) >> 16
		data = binary.LittleEndian.AppendUint16(data, uint16(upper))
	}
	tensor.DType, tensor.Data = "BF16", data
	return tensor
}

// The networks are those of their configurations, were tested on everything that can be chosen, and
// are small.
func TestShippedNetworks(t *testing.T) {
	if *cmpimg.GenerateTestData {
		for _, gamma := range shippedGammas() {
			regenerate(t, gamma)
		}
		t.Skip("wrote the networks: test again, with them in the package")
	}
	e := open(t)
	for i, gamma := range shippedGammas() {
		card := e.Networks[i].Card
		if want := Config(gamma).WithDefaults().Hash(); card.ConfigHash != want {
			t.Errorf("gamma %g: the card is of the configuration %.12s, want %.12s: go test "+
				"./lab/explorer -run Shipped -regen", gamma, card.ConfigHash, want)
		}
		record, err := filepath.Glob("../../docs/results/demo/cards/*." + card.Run + ".record")
		if err != nil || len(record) != 1 {
			t.Errorf("gamma %g: the demo has no run %s (%v)", gamma, card.Run, err)
		}
		if got, want := len(e.Networks[i].Tests), 1+5*len(Corruptions()); got != want {
			t.Errorf("gamma %g was tested under %d conditions, want %d", gamma, got, want)
		}
		const largest = 400_000
		file, err := os.Stat(filepath.Join("networks", fileOf(gamma)+".safetensors"))
		if err != nil || file.Size() > largest {
			t.Errorf("weights of gamma %g: %v, %v, want at most %d bytes", gamma, file, err,
				largest)
		}
	}
}

// The networks have the committed scores. Other processors may round the sums of a network's layers
// otherwise.
func TestShippedNetworksReproduceTheirTest(t *testing.T) {
	const tolerance = 1e-4
	e := open(t)
	for i, gamma := range shippedGammas() {
		run := testkit.Must(Run(t.Context(), t.TempDir(), gamma))(t)
		condition := score.Condition{Corruption: "contrast", Severity: 4}
		prediction, labels, err := run.Predict(t.Context(), Evaluation(), condition.Corruption,
			condition.Severity)
		testkit.NoError(t, err)
		got := testkit.Must(prediction.Cell(condition, labels))(t)
		at := slices.IndexFunc(e.Networks[i].Tests, func(c score.Cell) bool {
			return c.Condition() == condition
		})
		if want := e.Networks[i].Tests[at]; !(math.Abs(got.NLL-want.NLL) <= tolerance) {
			t.Errorf("gamma %g, %v: NLL %g, want %g, difference %g, tolerance %g", gamma, condition,
				got.NLL, want.NLL, got.NLL-want.NLL, tolerance)
		}
	}
}

// What the explorer says about an image is what the run of the same weights predicts.
func TestAnswers(t *testing.T) {
	e := open(t)
	answers := testkit.Must(e.Answers(t.Context(), Question{Image: 2, Corruption: "fog",
		Severity: 3}))(t)
	if answers.Truth != int(e.Images.Labels[2]) || len(answers.By) != len(shippedGammas()) {
		t.Errorf("truth %d and %d answers, want %d and %d", answers.Truth, len(answers.By),
			e.Images.Labels[2], len(shippedGammas()))
	}
	for _, answer := range answers.By {
		for _, p := range [][]float64{answer.Probabilities, answer.Before} {
			sum := 0.0
			for _, value := range p {
				sum += value
			}
			if math.Abs(sum-1) > 1e-5 {
				t.Errorf("%s: the probabilities %v add up to %g", answer.Name, p, sum)
			}
		}
	}
	again, err := e.Answers(t.Context(), Question{Image: 2, Corruption: "fog", Severity: 3})
	if err != nil || !slices.Equal(again.By[1].Probabilities, answers.By[1].Probabilities) {
		t.Errorf("the same question has another answer: %v, %v", again.By[1], err)
	}
	clean, err := e.Answers(t.Context(), Question{Image: 2})
	if err != nil || clean.Changed != nil || !slices.Equal(clean.By[0].Probabilities,
		answers.By[0].Before) {
		t.Errorf("the clean image has other answers than before the corruption: %v", err)
	}
}

func TestFigure(t *testing.T) {
	e := open(t)
	for _, severity := range []int{0, 5} {
		figure := testkit.Must(e.Figure(t.Context(), Question{Corruption: "pixelate",
			Severity: severity}))(t)
		if width, height := figure.Size(); width > 800 || height > 520 {
			t.Errorf("the figure has %g x %g points, more than a notebook shows at once", width,
				height)
		}
	}
	large := testkit.Must(e.Figure(t.Context(), Question{Image: 4, Corruption: "snow", Severity: 4,
		Network: "MAP"}))(t)
	if width, height := large.Size(); width < 600 || width > 800 || height > 400 {
		t.Errorf("one network's figure has %g x %g points, want it to fill a page", width, height)
	}
}

// README's picture is what the networks say about the image of the notebook. -regen writes it
// again.
func TestReadmesAnswers(t *testing.T) {
	answers := testkit.Must(open(t).Answers(t.Context(), Question{Image: 4, Corruption: "snow",
		Severity: 4}))(t)
	figure, path := testkit.Must(viz.AnswerBars(answers))(t), "../../docs/images/answers.png"
	if *cmpimg.GenerateTestData {
		testkit.NoError(t, figure.Save(path))
	}
	want := testkit.Must(os.ReadFile(path))(t)
	if same, err := cmpimg.EqualApprox("png", testkit.Must(figure.Encode("png"))(t), want,
		0.05); err != nil ||
		!same {
		t.Errorf("%s isn't what the networks say: run the test with -regen and look at it (%v)",
			path, err)
	}
}

func TestQuestionsAreRefused(t *testing.T) {
	e := open(t)
	for _, c := range []struct {
		question Question
		want     string
	}{
		{Question{Image: 256}, "image 256: there are 256, from 0"},
		{Question{Corruption: "fogg", Severity: 1}, `did you mean "fog"?`},
		{Question{Corruption: "fog", Severity: 6}, "severity 6"},
		{Question{Network: "γ = 3"}, `no network "γ = 3"`},
	} {
		if _, err := e.Answers(t.Context(), c.question); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want an error with %q", c.question, err, c.want)
		}
	}
}

// A run of one's own answers next to the others. Without a test it has no curves.
func TestAdd(t *testing.T) {
	e := open(t)
	run := testkit.Must(Run(t.Context(), t.TempDir(), 16))(t)
	testkit.NoError(t, e.Add(t.Context(), "mine", run))
	answers := testkit.Must(e.Answers(t.Context(), Question{Image: 7, Corruption: "snow",
		Severity: 2}))(t)
	if mine, theirs := answers.By[3].Probabilities, answers.By[2].Probabilities; !slices.Equal(mine,
		theirs) {
		t.Errorf("the same weights answer %v and %v", mine, theirs)
	}
	if rows := len(e.Table().Rows); rows != 6 {
		t.Errorf("the table has %d rows, want 6: the added network wasn't tested", rows)
	}
	if _, err := e.Figure(t.Context(), Question{Corruption: "snow", Severity: 2}); err != nil {
		t.Error(err)
	}
}

// A run trained on other images, or one that predicts with several sets of weights, is refused.
func TestRunsThatAreNotAdded(t *testing.T) {
	e := open(t)
	swag := Config(0)
	swag.Network = nbbnn.Network{Name: "allcnnc", Width: 2}
	swag.Training.Epochs, swag.Training.BetaEpochs, swag.Training.Batch = 3, 1, 250
	other := swag
	other.Data.Train = 16
	other.Training.Batch = 8
	for _, c := range []struct {
		config nbbnn.Config
		want   string
	}{
		{other, "train it with the data of explorer.Config"},
		{swag.With(nbbnn.Method{Name: baseline.SWAG, Start: 1}), "swag, which predicts with " +
			"several sets of weights"},
	} {
		run := testkit.Must(nbbnn.Open(t.TempDir(), c.config))(t)
		testkit.NoError(t, run.Train(t.Context(), nil))
		if err := e.Add(t.Context(), "mine", run); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	if len(e.Networks) != len(shippedGammas()) {
		t.Errorf("%d networks, want those that come with the package", len(e.Networks))
	}
}

// The levels of one corruption begin with the clean cell; a missing cell is no number.
func TestLevelsOf(t *testing.T) {
	cells := score.Cells{
		{Corruption: score.Clean, NLL: 0.1, Error: 0.01, ECE: 0.3},
		{Corruption: "fog", Severity: 1, NLL: 0.2, Error: 0.02, ECE: 0.4},
		{Corruption: "snow", Severity: 1, NLL: 9, Error: 0.9, ECE: 0.5},
		{Corruption: "fog", Severity: 5, NLL: 0.6, Error: 0.06, ECE: 0.7},
	}
	missing := math.NaN()
	for _, c := range []struct {
		metric string
		want   []float64
	}{
		{"NLL", []float64{0.1, 0.2, missing, missing, missing, 0.6}},
		{"Error", []float64{0.01, 0.02, missing, missing, missing, 0.06}},
		{"ECE", []float64{0.3, 0.4, missing, missing, missing, 0.7}},
	} {
		metric := testkit.Must(score.MetricByName(c.metric))(t)
		got := levelsOf(cells, metric, "fog")
		same := func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) }
		if !slices.EqualFunc(got, c.want, same) {
			t.Errorf("%s: got %v, want %v", c.metric, got, c.want)
		}
	}
}
