package corrupt

import (
	"bytes"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestGeneratorMakesTheSameImagesPieceByPiece(t *testing.T) {
	size := Size{12, 16}
	images := slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3))
	for _, name := range Names()[:benchmark] {
		config := Config{Corruption: name, Severity: 4, Seed: 3, First: 5}
		onCores(t, 2)
		want := apply(t, config, size, images)
		var got []uint8
		for ; len(got) < len(images); config.First++ {
			got = append(got, apply(t, config, size, images[len(got):][:size.Values()])...)
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: three pieces give other pixels than the whole", name)
		}
	}
}

func TestApplyRefusesHalfAnImage(t *testing.T) {
	_, err := Apply(t.Context(), Config{Corruption: "fog", Severity: 3}, Size{32, 32},
		make([]uint8, 1536))
	testkit.Error(t, "half an image", err, "1536 bytes are no whole number of 32x32 RGB images: "+
		"want a multiple of 3072")
}
