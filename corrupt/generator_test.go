package corrupt

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestGeneratorMakesTheSameImagesPieceByPiece(t *testing.T) {
	size := Size{12, 16}
	images := slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3))
	for _, name := range Names() {
		config := Config{Corruption: name, Severity: 4, Seed: 3, First: 5}
		onCores(t, 2)
		want := apply(t, config, size, images)
		generator := testkit.Must(newGenerator(config, size))(t)
		got := make([]uint8, len(images))
		for i := range 3 {
			from, to := i*size.Values(), (i+1)*size.Values()
			testkit.NoError(t, generator.generate(context.Background(), i, images[from:to],
				got[from:to]))
		}
		if !bytes.Equal(got, want) {
			t.Errorf("%s: three pieces give other pixels than the whole", name)
		}
	}
}

func TestGenerateRefusesWrongInput(t *testing.T) {
	generator := testkit.Must(newGenerator(Config{Corruption: "fog", Severity: 3}, Size{32, 32}))(t)
	tests := []struct {
		name              string
		first             int
		length, outLength int
		want              string
	}{
		{"negative position", -1, 3072, 3072, "first image -1: want 0 or more"},
		{"half an image", 0, 1536, 1536, "1536 bytes are no whole number of 32x32 RGB images: " +
			"want a multiple of 3072"},
		{"too little room", 0, 6144, 3072, "3072 bytes for the copies of 6144: want as many"},
	}
	for _, test := range tests {
		err := generator.generate(context.Background(), test.first, make([]uint8, test.length),
			make([]uint8, test.outLength))
		testkit.Error(t, test.name, err, test.want)
	}
}
