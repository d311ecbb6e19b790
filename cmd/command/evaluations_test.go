package command

import (
	"cmp"
	"testing"

	"github.com/nbbnn/workbench/nbbnn"
)

// Of evaluations that fit alike, the one of more images, samples and corruptions counts.
func TestCompareSize(t *testing.T) {
	rising := []nbbnn.Evaluation{
		{Suite: "all19", Samples: 32, Images: 10}, {Suite: "all19", Samples: 8, Images: 20},
		{Suite: "first8", Samples: 8},
		{Suite: "unknown", Samples: 32}, {Suite: "first8", Samples: 32},
		{Suite: "all19", Samples: 32}, {Suite: "all19", Samples: 32, Seed: 1},
	}
	for i, small := range rising {
		for j, large := range rising {
			if got, want := compareSize(small, large), cmp.Compare(i, j); got != want {
				t.Errorf("%+v to %+v is %d, want %d", small, large, got, want)
			}
		}
	}
}

// A training NLL of guessing says that nothing was learnt, but not of noise on a trained network.
func TestGuesses(t *testing.T) {
	card := nbbnn.Card{Training: &nbbnn.Epoch{NLL: 2.29}}
	card.Data.Classes = 10
	_, _, own := guesses(card)
	card.Parent = &nbbnn.CardParent{}
	if _, _, noise := guesses(card); !own || noise {
		t.Errorf("a training NLL of 2.29 of 2.30: %v, want true; of noise on a network: %v, want "+
			"false", own, noise)
	}
}
