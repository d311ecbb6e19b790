package viz

import (
	"strings"
	"testing"
)

// Every kind of figure can be written in every format.
func TestEveryFigureInEveryFormat(t *testing.T) {
	cells := CellMap{Name: "M16", Metric: "Error", Rows: []string{"fog", "snow"}, Columns: []string{"1", "2"}, Mean: [][]float64{{0.1, 0.2}, {0.3, 0.4}}, Seeds: 2}
	image := []float64{0, 0.5, 1, 1, 0, 0.5, 0.2, 0.3, 0.4, 1, 1, 1}
	for name, draw := range map[string]func() (*Figure, error){
		"gamma": func() (*Figure, error) {
			return GammaCurves("NLL", []GammaCurve{{Name: "K = 1", Gamma: []float64{0, 8}, Mean: []float64{2, 1}, Std: []float64{0.1, 0.1}, Seeds: 2, Paper: []float64{2, 1}}})
		},
		"reliability": func() (*Figure, error) {
			return Reliability([]ReliabilityCurve{{Name: "M16", Confidence: []float64{0.2, 0.8}, Accuracy: []float64{0.3, 0.7}, Count: []int{3, 4}}})
		},
		"risk": func() (*Figure, error) {
			return RiskCoverage([]RiskCurve{{Name: "M16", Coverage: []float64{0.5, 1}, Risk: []float64{0, 0.1}}})
		},
		"heat map":   func() (*Figure, error) { return HeatMap(cells) },
		"difference": func() (*Figure, error) { return DifferenceMap(cells, cells) },
		"scatter": func() (*Figure, error) {
			return PCAScatter(Cloud{Draws: sixPoints, Corrupted: sixPoints[:2], Severity: []int{1, 5}, Share: [2]float64{0.6, 0.3}})
		},
		"implicit": func() (*Figure, error) {
			return ImplicitCorruptions(Implicit{Height: 2, Width: 2, Image: image, Lambda: []float64{0.1}, Masks: [][]float64{image}})
		},
		"panels": func() (*Figure, error) {
			curves := []LevelCurve{{Name: "M16", Mean: []float64{0.1, 0.2}, Std: []float64{0.1, 0.1}, Seeds: 3, Test: "first8"}}
			return LevelPanels(LevelPanel{Metric: "NLL", Curves: curves}, LevelPanel{Metric: "Error", Curves: curves, Baseline: "M16"})
		},
	} {
		figure, err := draw()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for format, encode := range map[string]func() ([]byte, error){"\x89PNG": figure.PNG, "<?xml": figure.SVG, "%PDF": figure.PDF} {
			data, err := encode()
			if err != nil || !strings.HasPrefix(string(data), format) {
				t.Errorf("%s: file starts with %q (error %v), want %q", name, data[:min(8, len(data))], err, format)
			}
		}
	}
}
