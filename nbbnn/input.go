package nbbnn

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"
)

// cropPadding is how many black pixels surround an image before the random crop (METHOD.md section 4).
const cropPadding = 4

// view says which part of each image of a batch is seen: the crop's offset down and across, in pixels, and whether it's
// mirrored. Without augmentation the offsets are cropPadding and nothing is mirrored.
type view struct {
	down, across []int32 // [images], 0..2*cropPadding
	mirror       []int32 // [images], 0 or 1
}

// drawView draws one augmented view of each image.
func drawView(random *rand.Rand, images int) view {
	v := newView(images)
	for i := range images {
		v.down[i] = random.Int32N(2*cropPadding + 1)
		v.across[i] = random.Int32N(2*cropPadding + 1)
		v.mirror[i] = random.Int32N(2)
	}
	return v
}

// plainView shows every image as it is.
func plainView(images int) view {
	v := newView(images)
	for i := range images {
		v.down[i], v.across[i] = cropPadding, cropPadding
	}
	return v
}

func newView(images int) view {
	return view{make([]int32, images), make([]int32, images), make([]int32, images)}
}

// pixelNormalisation maps pixels, from 0..255, to mean zero and standard deviation one per channel of the data set, whose
// mean and std are in 0..1: it multiplies by scale and adds shift, both [3].
func pixelNormalisation(g *Graph, mean, std [3]float64) (scale, shift *Node) {
	var factors, terms [3]float32
	for c := range factors {
		factors[c], terms[c] = float32(1/(255*std[c])), float32(-mean[c]/std[c])
	}
	return Const(g, factors[:]), Const(g, terms[:])
}

// normalise returns normalised pixels, [images, height, width, 3].
func normalise(pixels *Node, mean, std [3]float64) *Node {
	scale, shift := pixelNormalisation(pixels.Graph(), mean, std)
	return Add(Mul(pixels, Reshape(scale, 1, 1, 1, 3)), Reshape(shift, 1, 1, 1, 3))
}
