package nbbnn

import (
	"math/rand/v2"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
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

// gatherImages returns the views of the chosen images, float32 [images, height, width, 3] in 0..255: data is the whole data
// set, uint8 [count, height, width, 3], and chosen, down, across and mirror are int32 [images]. What a crop takes from
// outside an image is black.
func gatherImages(data, chosen, down, across, mirror *Node) *Node {
	g := data.Graph()
	images := chosen.Shape().Dim(0)
	height, width := data.Shape().Dim(1), data.Shape().Dim(2)
	y := Add(rising(g, height), AddScalar(ExpandAxes(down, 1), -cropPadding)) // [images, height]
	x := rising(g, width)                                                     // [1, width]
	flipped := Sub(Const(g, int32(width-1)), x)
	x = Add(x, Mul(ExpandAxes(mirror, 1), Sub(flipped, x)))
	x = Add(x, AddScalar(ExpandAxes(across, 1), -cropPadding)) // [images, width]

	row := Add(MulScalar(ExpandAxes(chosen, 1), float64(height)), clampTo(y, height))             // [images, height]
	pixel := Add(ExpandAxes(MulScalar(row, float64(width)), 2), ExpandAxes(clampTo(x, width), 1)) // [images, height, width]
	flat := Reshape(data, data.Shape().Dim(0)*height*width, 3)
	values := ConvertDType(Gather(flat, Reshape(pixel, images*height*width, 1)), computeType)
	seen := Mul(ExpandAxes(inside(y, height), 2), ExpandAxes(inside(x, width), 1)) // [images, height, width]
	return Mul(Reshape(values, images, height, width, 3), ExpandAxes(seen, 3))
}

// rising is 0, 1, ... as int32 [1, size].
func rising(g *Graph, size int) *Node {
	return Iota(g, shapes.Make(dtypes.Int32, 1, size), 1)
}

// clampTo moves coordinates into 0..size-1.
func clampTo(x *Node, size int) *Node {
	return MinScalar(MaxScalar(x, 0), float64(size-1))
}

// inside is 1 where a coordinate lies in 0..size-1, else 0.
func inside(x *Node, size int) *Node {
	return ConvertDType(Equal(x, clampTo(x, size)), computeType)
}

// normalise maps pixels in 0..255, [images, height, width, 3], to mean zero and standard deviation one per channel of the
// data set, whose mean and std are in 0..1.
func normalise(pixels *Node, mean, std [3]float64) *Node {
	var scale, shift [3]float32
	for c := range scale {
		scale[c], shift[c] = float32(1/(255*std[c])), float32(-mean[c]/std[c])
	}
	g := pixels.Graph()
	return Add(Mul(pixels, channelConst(g, scale)), channelConst(g, shift))
}

func channelConst(g *Graph, values [3]float32) *Node {
	return Const(g, [][][][]float32{{{values[:]}}})
}

// repeatImages repeats every image for its samples, image-major: [images, ...] becomes [images*samples, ...], and the copies
// of an image are adjacent.
func repeatImages(x *Node, samples int) *Node {
	if samples == 1 {
		return x
	}
	copies := make([]*Node, samples)
	for i := range copies {
		copies[i] = ExpandAxes(x, 1)
	}
	dimensions := append([]int{x.Shape().Dim(0) * samples}, x.Shape().Dimensions[1:]...)
	return Reshape(Concatenate(copies, 1), dimensions...)
}
