package corrupt

import (
	"context"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestGenerateRefusesWrongInput(t *testing.T) {
	generator := testkit.Must(NewGenerator(Config{Corruption: "fog", Severity: 3}, Size{32, 32}))(t)
	tests := []struct {
		name              string
		first             int
		length, outLength int
		want              string
	}{
		{"negative position", -1, 3072, 3072, "first image -1: want 0 or more"},
		{"half an image", 0, 1536, 1536, "1536 bytes are no whole number of 32x32 RGB images: want a multiple of 3072"},
		{"too little room", 0, 6144, 3072, "3072 bytes for the copies of 6144: want as many"},
	}
	for _, test := range tests {
		err := generator.Generate(context.Background(), test.first, make([]uint8, test.length), make([]uint8, test.outLength))
		testkit.Error(t, test.name, err, test.want)
	}
}
