package implicit

import (
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// newModel returns a network with its initial values and a small data set for it.
func newModel(t testing.TB, settings network.Settings) (*network.Model, *dataset.Dataset) {
	t.Helper()
	data := testkit.Must(dataset.Open(t.Context(), dataset.Config{Name: dataset.Shapes10,
		TrainCount: 8, TestCount: 20}))(t)
	m := testkit.Must(network.NewModel(settings, data, network.ModelOptions{}))(t)
	return m, data
}

// tiny are the settings of a network with two components that is fast to compute.
func tiny() network.Settings {
	return network.Settings{Network: network.Network{Width: 4}, Posterior: network.Posterior{
		Components: 2, InitStd: 0.3}, Seed: 5}
}
