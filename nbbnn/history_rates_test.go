package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// checkRates trains a run and compares the rates and beta that its history records.
func checkRates(t *testing.T, run *Run, theta, phi, beta []float64) {
	t.Helper()
	train(t, run)
	history, err := run.History()
	if err != nil || len(history) != len(theta)+1 {
		t.Fatalf("%d lines of history, error %v, want %d", len(history), err, len(theta)+1)
	}
	for i, epoch := range history[1:] { // after the state before training
		for _, q := range []struct {
			name      string
			got, want float64
		}{
			{"learning rate", epoch.LearningRate, theta[i]},
			{"posterior's learning rate", epoch.PosteriorLearningRate, phi[i]},
			{"beta", epoch.Beta, beta[i]},
		} {
			near(t, q.name, q.got, q.want, 1e-12)
		}
	}
}

// The history of every method has the rates that it trained with: of swag its own schedule, of
// csghmc the rate at the first step of each epoch. The usual one falls from half of the epochs on.
func TestHistoryHasTheRatesOfTheMethod(t *testing.T) {
	const rate, late = 0.01, 1 - 0.99*0.25/0.4 // at three quarters
	usual := []float64{rate, rate, rate, rate * late}
	for _, c := range []struct {
		method Method
		want   []float64
	}{
		{Method{Name: baseline.MAP}, usual},
		{Method{Name: baseline.SAM}, usual},
		{Method{Name: baseline.ASAM}, usual},
		{Method{Name: baseline.MCDropout}, usual},
		{Method{Name: baseline.DAMP}, usual},
		{Method{Name: baseline.SWAG, Start: 1}, []float64{rate, rate / 10, rate / 10, rate / 10}},
		{Method{Name: baseline.SWAG}, []float64{rate, rate, rate / 10, rate / 10}},
		{Method{Name: baseline.CSGHMC}, []float64{5 * rate, 2.5 * rate, 5 * rate, 2.5 * rate}},
	} {
		t.Run(string(c.method.Name), func(t *testing.T) {
			run := openRun(t, t.TempDir(), methodConfig(c.method))
			phi := run.Config().Training.PosteriorLearningRate
			checkRates(t, run, c.want, []float64{phi, phi, phi, phi}, []float64{0, 0.5, 1, 1})
		})
	}
	node := tinyConfig()
	node.Training.Epochs = 4
	checkRates(t, openRun(t, t.TempDir(), node), usual, []float64{0.1, 0.1, 0.1, 0.1}, []float64{0, 0.5, 1, 1})
}

// Post hoc the weights have no rate, and that of the posterior falls.
func TestHistoryHasTheRatesOfAPosthocRun(t *testing.T) {
	_, run := posthocRun(t, func(c *Config) { c.Training.Epochs = 4 })
	phi := []float64{0.02, 0.02, 0.02, 0.02 * (1 - 0.99*0.25/0.4)}
	checkRates(t, run, []float64{0, 0, 0, 0}, phi, []float64{1, 1, 1, 1})
}
