package network

import (
	"math/rand/v2"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/stream"
)

// cropPadding is how many black pixels surround an image before the random crop (METHOD.md section 4).
const cropPadding = 4

// view says which part of each image of a batch the network sees: the crop's offset down and across, in pixels, and whether
// it's mirrored. Without augmentation the offsets are cropPadding and nothing is mirrored.
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

// view returns how a step, counted over all epochs, sees its images.
func (m *Model) view(step int) view {
	training := m.Settings.Training
	if training.NoAugmentation {
		return plainView(training.Batch)
	}
	return drawView(stream.New(m.Settings.Seed, stream.Augmentation, uint64(step)), training.Batch)
}

// trainingImages returns the normalised images of a training step, [batch, height, width, 3].
func (m *Model) trainingImages(args []*Node) *Node {
	views := operation.Views{Data: args[argData], Chosen: args[argChosen], Down: args[argDown], Across: args[argAcross],
		Mirror: args[argMirror], Padding: cropPadding}
	return views.Normalised(m.pixelNormalisation(args[argData].Graph()))
}

// pixelNormalisation maps pixels, from 0..255, to mean zero and standard deviation one per channel of the data set: it
// multiplies by scale and adds shift, both [3].
func (m *Model) pixelNormalisation(g *Graph) (scale, shift *Node) {
	var factors, terms [3]float32
	for c := range factors {
		factors[c], terms[c] = float32(1/(255*m.Std[c])), float32(-m.Mean[c]/m.Std[c])
	}
	return Const(g, factors[:]), Const(g, terms[:])
}

// normalise returns normalised pixels, [images, height, width, 3].
func (m *Model) normalise(pixels *Node) *Node {
	scale, shift := m.pixelNormalisation(pixels.Graph())
	return Add(Mul(pixels, Reshape(scale, 1, 1, 1, 3)), Reshape(shift, 1, 1, 1, 3))
}
