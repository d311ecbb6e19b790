package nbbnn

import (
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/stream"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Draws of the search for implicit corruptions, each independent of the others and of those of an evaluation.
const (
	targetDraws = iota // Z
	outputDraws        // those whose mean logits are f
)

// implicitSeed is the seed of one kind of draws.
func implicitSeed(seed uint64, kind int) uint64 { return stream.Words(seed, stream.Implicit)[kind] }

// expected returns f of Implicit, from images [rows, height, width, 3] to logits [rows, classes], and the arguments that it
// needs: under fixed latents, or the mean over draws that are the same for every image.
func expected(m *network.Model, settings Implicit) (f func(images *Node, args []*Node) *Node, args []any) {
	m = m.With(settings.Latents)
	samples := max(1, settings.Expected)
	args = m.EvaluationNoise(implicitSeed(settings.Seed, outputDraws), 0, 1, samples)
	return func(images *Node, args []*Node) *Node { return m.ExpectedLogits(images, samples, args) }, args
}
