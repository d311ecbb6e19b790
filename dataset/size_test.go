package dataset

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// What a config says without opening anything is what Open then returns.
func TestSizeIsWhatOpenReturns(t *testing.T) {
	config := Config{TrainCount: 20, TestCount: 5}
	data := testkit.Must(Open(t.Context(), config))(t)
	want := Size{data.Train.Count(), data.Test.Count(), data.Train.Width, len(data.Classes)}
	if got := config.Size(); got != want {
		t.Errorf("Size() of %+v = %+v, want %+v", config, got, want)
	}
}

func TestWholeSizes(t *testing.T) {
	for name, want := range map[string]Size{
		"":             {4_000, 1_000, 32, 10},
		Shapes10:       {4_000, 1_000, 32, 10},
		Shapes10Bright: {4_000, 1_000, 32, 10},
		CIFAR10:        {50_000, 10_000, 32, 10},
		CIFAR100:       {50_000, 10_000, 32, 100},
		TinyImageNet:   {100_000, 10_000, 64, 200},
		"unknown":      {},
	} {
		if got := (Config{Name: name}).Size(); got != want {
			t.Errorf("Size() of %q = %+v, want %+v", name, got, want)
		}
	}
}

func TestCheckCounts(t *testing.T) {
	for _, c := range []struct {
		config Config
		fits   bool
	}{
		{Config{}, true},
		{Config{TrainCount: 1_000_000}, true},
		{Config{TestCount: 1_000_000 + 1}, false},
		{Config{Name: CIFAR10, TrainCount: 50_000, TestCount: 10_000}, true},
		{Config{Name: CIFAR10, TrainCount: 50_001}, false},
		{Config{Name: TinyImageNet, TrainCount: 1_000_000_000}, false},
	} {
		if err := c.config.CheckCounts(); (err == nil) != c.fits {
			t.Errorf("%+v: error %v, want one: %t", c.config, err, !c.fits)
		}
	}
}
