package score

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// randomCell is the cell of three random images with two samples.
func randomCell(random *rand.Rand, corruption string, severity int) Cell {
	var images [][]float64
	for range 3 {
		var image []float64
		for range 2 {
			image = append(image,
				testkit.LogSoftmax([]float64{random.NormFloat64(), random.NormFloat64(), 0})...)
		}
		images = append(images, image)
	}
	cell := cellOf(images, []int{0, 1, 2}, 2)
	cell.Corruption, cell.Severity = corruption, severity
	return cell
}

// randomCells are the cells of two corruptions.
func randomCells(t *testing.T) Cells {
	random := rand.New(rand.NewPCG(7, 8))
	cells := Cells{randomCell(random, Clean, 0)}
	for _, corruption := range []string{"fog", "snow"} {
		for severity := 1; severity < LevelCount; severity++ {
			cells = append(cells, randomCell(random, corruption, severity))
		}
	}
	return cells
}

// setCells are scaledCells with prediction sets.
func setCells(t *testing.T) Cells {
	cells := scaledCells(t)
	for i := range cells {
		part := float64(i) / 30
		cells[i].Sets = &ConformalSets{PredictionSets{part, 0.95, 1 + part}}
	}
	return cells
}

func TestLevels(t *testing.T) {
	cells := randomCells(t)
	levels := testkit.Must(cells.Levels())(t)
	testkit.Near(t, "NLL at level 0", levels.NLL[0], cells[0].NLL, 1e-12)
	testkit.Near(t, "ECE at level 0", levels.ECE[0], cells[0].ECE, 1e-12)
	for level := 1; level < LevelCount; level++ {
		fog, snow := cells[level], cells[level+5]
		testkit.Near(t, "NLL", levels.NLL[level], (fog.NLL+snow.NLL)/2, 1e-12)
		testkit.Near(t, "error", levels.Error[level], (fog.Error+snow.Error)/2, 1e-12)
		testkit.Near(t, "mean ECE", levels.MeanECE[level], (fog.ECE+snow.ECE)/2, 1e-12)
		testkit.Near(t, "pooled ECE", levels.ECE[level], fog.Bins.Pool(snow.Bins).ECE(6), 1e-12)
		if levels.ECE[level] > levels.MeanECE[level]+1e-12 {
			t.Errorf("pooled ECE %g above the mean %g at level %d", levels.ECE[level],
				levels.MeanECE[level], level)
		}
	}
}

// Bins whose errors cancel when pooled: the pooled ECE is zero, the mean isn't.
func TestPooledECEIsNotTheMean(t *testing.T) {
	var sure, unsure Bins
	for i := range 10 {
		sure.Add(0.7, i < 9)
		unsure.Add(0.7, i < 5)
	}
	testkit.Near(t, "ECE of the first", sure.ECE(10), 0.2, 1e-12)
	testkit.Near(t, "ECE of the second", unsure.ECE(10), 0.2, 1e-12)
	testkit.Near(t, "ECE of both", sure.Pool(unsure).ECE(20), 0, 1e-12)
}

func TestLevelsRefuse(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(Cells) Cells
		want   string
	}{
		{"nothing", func(Cells) Cells { return nil }, "level 0 has 0 cells"},
		{"no clean cell", func(c Cells) Cells { return c[1:] }, "level 0 has 0 cells instead of 1"},
		{"a missing cell", func(c Cells) Cells {
			return c[:len(c)-1]
		}, "level 5 has 1 cells instead of 2"},
		{"a missing level", func(c Cells) Cells { return c[:1] }, "level 1 has 0 cells"},
		{"another corruption", func(c Cells) Cells {
			c[2].Corruption = "frost"
			return c
		}, "level 2 has frost in place 1 instead of fog"},
		{"another count", func(c Cells) Cells { c[3].Images = 9; return c }, "fog 3 has 9 images"},
	} {
		_, err := c.change(randomCells(t)).Levels()
		checkError(t, c.name, err, c.want)
	}
}

// Every column but thresholds and temperatures is a metric with the value of the cell, and the
// optional ones are no number for a cell without them.
func TestColumnsAreMetrics(t *testing.T) {
	cell, found := setCells(t)[7], 0
	for k, group := range columnGroups {
		for i, column := range group.Columns {
			if strings.HasSuffix(column, "threshold") || strings.HasPrefix(column, "temperature") {
				continue
			}
			metric := testkit.Must(MetricByName(column))(t)
			testkit.Near(t, column, metric.Value(cell), *group.Field(&cell, i), 0)
			if value := metric.Value(Cell{}); k > 0 && !math.IsNaN(value) {
				t.Errorf("%s of a cell without it is %v, want no number", column, value)
			}
			found++
		}
	}
	for _, m := range Metrics() {
		if m.Column != "" {
			found--
		}
	}
	for column, want := range map[string]float64{"top2": cell.Top2, "nll_t": cell.ScaledNLL,
		"augrc": cell.Further.AUGRC, "aps_size": cell.Sets.Randomised.Size} {
		got, _ := cell.metric(column)
		testkit.Near(t, column, got, want, 0)
	}
	testkit.Near(t, "columns without a metric", found, 0, 0)
	summaries := testkit.Must(summariseCells("fog,snow", setCells(t), setCells(t)))(t)
	testkit.Near(t, "size of sets", summaries[7].Metrics["aps_size"].Mean,
		setCells(t)[7].Sets.Randomised.Size, 1e-12)
	_, err := Metrics()[len(Metrics())-1].Levels(randomCells(t))
	checkError(t, "no sets", err, "SetSize isn't measured at level 0: 3 images are too few")
}
