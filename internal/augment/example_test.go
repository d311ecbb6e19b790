package augment_test

import (
	"fmt"
	"math/rand/v2"

	"github.com/nbbnn/workbench/internal/augment"
)

// The same generator gives the same mixture of an image with chains of operations on it.
func ExampleMix() {
	grey := make([]uint8, 4*4*3)
	for i := range grey {
		grey[i] = uint8(100 + i)
	}
	first, second := append([]uint8(nil), grey...), append([]uint8(nil), grey...)
	augment.Mix(first, 4, 4, rand.New(rand.NewPCG(1, 2)))
	augment.Mix(second, 4, 4, rand.New(rand.NewPCG(1, 2)))
	fmt.Println(string(first) == string(second), string(first) == string(grey))
	// Output:
	// true false
}
