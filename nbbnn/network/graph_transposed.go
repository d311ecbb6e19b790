package network

import (
	"fmt"

	"github.com/gomlx/compute-onnx/support/protos"
	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/onnx"
)

// convolveTransposed returns the transposed convolution of images x [rows, height, width, in] with
// a kernel [in, out / groups, height, width]: the convolution of x with zeros between its pixels
// with the kernel turned round.
func convolveTransposed(n *protos.NodeProto, x, w *Node) *Node {
	if onnx.Ints(n, "output_shape") != nil || onnx.Text(n, "auto_pad") != "" {
		panic("it has auto_pad or output_shape, want pads")
	}
	d, groups := w.Shape().Dimensions, int(onnx.Int(n, "group", 1))
	w = TransposeAllDims(Reshape(w, groups, -1, d[1], d[2], d[3]), 3, 4, 1, 0, 2)
	w = Reverse(Reshape(w, d[2], d[3], -1, groups*d[1]), 0, 1)
	strides, dilations := pairOf(n, "strides", 1), pairOf(n, "dilations", 1)
	reach := [2]int{(d[2] - 1) * dilations[0], (d[3] - 1) * dilations[1]}
	w, paddings := oddKernel(w, [][2]int{{reach[0], reach[0]}, {reach[1], reach[1]}}, dilations)
	y := Convolve(x, w).InputDilationPerAxis(strides...).DilationPerAxis(dilations...).
		PaddingPerDim(paddings).ChannelGroupCount(groups).Done()
	more, pads := pairOf(n, "output_padding", 0), onnx.Ints(n, "pads")
	if pads == nil {
		pads = make([]int, 4)
	}
	y = Pad(y, ScalarZero(y.Graph(), y.DType()), PadAxis{}, PadAxis{End: more[0]},
		PadAxis{End: more[1]}, PadAxis{})
	return Slice(y, AxisRange(), AxisRange(pads[0], y.Shape().Dim(1)-pads[2]),
		AxisRange(pads[1], y.Shape().Dim(2)-pads[3]))
}

// pairOf returns an attribute with a number for each side of images.
func pairOf(n *protos.NodeProto, name string, without int) []int {
	pair := onnx.Ints(n, name)
	if pair == nil {
		return []int{without, without}
	}
	if len(pair) != 2 || min(pair[0], pair[1]) < without {
		panic(fmt.Sprintf("it has %s %v", name, pair))
	}
	return pair
}
