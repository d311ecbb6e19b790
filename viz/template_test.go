package viz_test

import (
	"cmp"
	"context"
	"log"
	"math"
	"slices"
	"sync"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/random"
	"github.com/nbbnn/workbench/viz"
)

// templates classify an image by its distances from the mean training image of each class.
type templates struct {
	means     [][]float64 // [classes][values]
	normalise bool        // brightness and contrast are taken out of every image first
}

// shapes are training and test images of Shapes10.
var shapes = sync.OnceValue(func() *dataset.Dataset {
	data, err := dataset.Open(context.Background(), dataset.Config{Name: dataset.Shapes10,
		TrainCount: 300, TestCount: 20})
	if err != nil {
		log.Fatal(err)
	}
	return data
})

// newTemplates averages the training images of each class.
func newTemplates(normalise bool) templates {
	train := shapes().Train
	t := templates{means: make([][]float64, len(shapes().Classes)), normalise: normalise}
	counts := make([]float64, len(t.means))
	for _, label := range train.Labels {
		counts[label]++
	}
	for i, label := range train.Labels {
		values := t.values(train.Slice(i, i+1).Pixels)
		if t.means[label] == nil {
			t.means[label] = make([]float64, len(values))
		}
		for j, value := range values {
			t.means[label][j] += value / counts[label]
		}
	}
	return t
}

// values are those of an image, 0 to 1, or with mean 0 and standard deviation 0.25.
func (t templates) values(pixels []uint8) []float64 {
	values := make([]float64, len(pixels))
	mean, squares, count := 0.0, 0.0, float64(len(pixels))
	for i, pixel := range pixels {
		values[i] = float64(pixel) / 255
		mean += values[i] / count
	}
	if !t.normalise {
		return values
	}
	for _, value := range values {
		squares += (value - mean) * (value - mean) / count
	}
	for i := range values {
		values[i] = 0.25 * (values[i] - mean) / math.Sqrt(squares+1e-6)
	}
	return values
}

// logLikelihood is the logarithm of the probability of a class, a softmax of the squared distances.
func (t templates) logLikelihood(pixels []uint8, class uint8) float64 {
	const sharpness = 0.1
	values, sum, own := t.values(pixels), 0.0, 0.0
	for c, mean := range t.means {
		distance := 0.0
		for j, value := range values {
			distance += (value - mean[j]) * (value - mean[j])
		}
		sum += math.Exp(-sharpness * distance)
		if c == int(class) {
			own = -sharpness * distance
		}
	}
	return own - math.Log(sum)
}

// cellMap is the negative log-likelihood of the test images under every corruption at every
// severity.
func cellMap(name string, normalise bool) viz.CellMap {
	t, test := newTemplates(normalise), shapes().Test
	cells := viz.CellMap{
		Name: name, Metric: "NLL", Corner: "severity", Rows: corrupt.Names()[:19],
		Columns: []string{"1", "2", "3", "4", "5"},
		Seeds:   1, Test: "Shapes10, 20 images",
	}
	for _, corruption := range cells.Rows {
		row := make([]float64, len(cells.Columns))
		for column := range row {
			pixels := corruptedShapes()[corruption][column]
			for i, label := range test.Labels {
				row[column] -= t.logLikelihood(pixels[i*side*side*3:][:side*side*3],
					label) / float64(len(test.Labels))
			}
		}
		cells.Mean = append(cells.Mean, row)
	}
	return cells
}

// corruptedShapes are the test images under each corruption at the severities 1 to 5.
var corruptedShapes = sync.OnceValue(func() map[string][][]uint8 {
	all := map[string][][]uint8{}
	for _, corruption := range corrupt.Names()[:19] {
		for severity := 1; severity <= 5; severity++ {
			all[corruption] = append(all[corruption], corrupted(shapes().Test.Pixels, corruption,
				severity))
		}
	}
	return all
})

// corrupted returns images of 32 x 32 pixels under a corruption.
func corrupted(pixels []uint8, corruption string, severity int) []uint8 {
	config := corrupt.Config{Corruption: corruption, Severity: severity}
	result, err := corrupt.Apply(context.Background(), config,
		corrupt.Size{Height: side, Width: side}, pixels)
	if err != nil {
		log.Fatal(err)
	}
	return result
}

// guess is what became of one prediction.
type guess struct {
	confidence float64
	correct    bool
}

// guesses are 4,000 predictions of a classifier whose confidence in ten classes is the chance of
// being right to the given power: with a power below one it is too sure.
func guesses(seed uint64, power float64) []guess {
	rng := random.New(seed, "test classifier", 0)
	all := make([]guess, 4000)
	for i := range all {
		chance := 0.1 + 0.9*math.Pow(rng.Float64(), 0.5)
		all[i] = guess{math.Pow(chance, power), rng.Float64() < chance}
	}
	return all
}

// reliability puts guesses into 15 bins of equal width.
func reliability(name string, all []guess) viz.ReliabilityCurve {
	const bins = 15
	var count, correct [bins]int
	var confidence [bins]float64
	for _, g := range all {
		bin := min(int(g.confidence*bins), bins-1)
		count[bin]++
		confidence[bin] += g.confidence
		if g.correct {
			correct[bin]++
		}
	}
	curve := viz.ReliabilityCurve{Name: name, Seeds: 1}
	for bin, n := range count {
		if n > 0 {
			curve.Confidence = append(curve.Confidence, confidence[bin]/float64(n))
			curve.Accuracy = append(curve.Accuracy, float64(correct[bin])/float64(n))
			curve.Count = append(curve.Count, n)
		}
	}
	return curve
}

// risk lets the least sure guesses go, one after the other.
func risk(name string, all []guess) viz.Series {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b guess) int {
		return cmp.Compare(b.confidence, a.confidence)
	})
	curve := viz.Series{Name: name, Seeds: 1}
	wrong := 0
	for i, g := range sorted {
		if !g.correct {
			wrong++
		}
		curve.X = append(curve.X, float64(i+1)/float64(len(sorted)))
		curve.Mean = append(curve.Mean, float64(wrong)/float64(i+1))
	}
	return curve
}
