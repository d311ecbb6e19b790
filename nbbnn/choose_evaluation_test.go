package nbbnn

import (
	"cmp"
	"testing"
)

// Larger is what has all of the other and more; samples that a run doesn't take don't count.
func TestIsLarger(t *testing.T) {
	ordinary, err := Open(t.TempDir(), Config{Posterior: Posterior{Mode: Deterministic}})
	if err != nil {
		t.Fatal(err)
	}
	node, err := Open(t.TempDir(), Config{})
	if err != nil {
		t.Fatal(err)
	}
	small := Evaluation{Suite: "fog,snow", Samples: 8, Images: 20}
	for name, c := range map[string]struct {
		run    *Run
		change func(e *Evaluation)
		want   bool
	}{
		"the same":           {node, func(*Evaluation) {}, false},
		"another order":      {node, func(e *Evaluation) { e.Suite = "snow,fog" }, false},
		"images":             {node, func(e *Evaluation) { e.Images = 21 }, true},
		"all images":         {node, func(e *Evaluation) { e.Images = 0 }, true},
		"samples":            {node, func(e *Evaluation) { e.Samples = 16 }, true},
		"samples of MAP":     {ordinary, func(e *Evaluation) { e.Samples = 16 }, false},
		"corruptions":        {node, func(e *Evaluation) { e.Suite = "all19" }, true},
		"other corruptions":  {node, func(e *Evaluation) { e.Suite = "fog,frost,contrast" }, false},
		"fewer images":       {node, func(e *Evaluation) { e.Suite, e.Images = "all19", 19 }, false},
		"an unknown suite":   {node, func(e *Evaluation) { e.Suite = "unknown" }, false},
		"another seed":       {node, func(e *Evaluation) { e.Images, e.Seed = 0, 1 }, false},
		"fixed latents":      {node, func(e *Evaluation) { e.Images, e.Latents = 0, MeanLatents }, false},
		"ready-made images":  {node, func(e *Evaluation) { e.Images, e.Corrupted = 0, "cifar10-c" }, false},
		"published textures": {node, func(e *Evaluation) { e.Images, e.Textures = 0, "frost" }, false},
	} {
		large := small
		c.change(&large)
		cards := []Card{{Data: CardData{Test: 100}}}
		if got := isLarger([]*Run{c.run}, cards, large, small); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
	all := Evaluation{Suite: "fog", Samples: 8}
	counted := Evaluation{Suite: "fog", Samples: 8, Images: 100}
	if isLarger([]*Run{node}, []Card{{Data: CardData{Test: 100}}}, all, counted) {
		t.Error("all 100 images are more than 100")
	}
}

// Of evaluations that fit alike, the one of more images, samples and corruptions counts.
func TestCompareSize(t *testing.T) {
	rising := []Evaluation{
		{Suite: "all19", Samples: 32, Images: 10}, {Suite: "all19", Samples: 8, Images: 20}, {Suite: "first8", Samples: 8},
		{Suite: "unknown", Samples: 32}, {Suite: "first8", Samples: 32}, {Suite: "all19", Samples: 32}, {Suite: "all19", Samples: 32, Seed: 1},
	}
	for i, small := range rising {
		for j, large := range rising {
			if got, want := compareSize(small, large), cmp.Compare(i, j); got != want {
				t.Errorf("%+v to %+v is %d, want %d", small, large, got, want)
			}
		}
	}
}
