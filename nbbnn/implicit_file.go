package nbbnn

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/safetensors"
)

// implicitFiles keep what was found for each image, in a folder named by the settings. What was found with other weights doesn't
// count.
type implicitFiles struct {
	directory string
	weights   string   // checksum
	settings  Implicit // filled
}

// weightsKey is the entry of a file's metadata with the checksum of the weights.
const weightsKey = "weights_sha256"

func (r *Run) implicitFiles(settings Implicit) (implicitFiles, error) {
	hash, err := settings.hash()
	if err != nil {
		return implicitFiles{}, err
	}
	card, err := r.Card()
	return implicitFiles{r.path(filepath.Join("implicit", hash)), card.WeightsSHA256, settings}, err
}

func (f implicitFiles) path(image int) string {
	return filepath.Join(f.directory, fmt.Sprintf("image-%04d.safetensors", image))
}

// entries are the values by their names in the file.
func (v *implicitValues) entries() map[string]*[]float32 {
	return map[string]*[]float32{"target": &v.target, "reached": &v.reached, "change": &v.change, "steps": &v.steps}
}

// write keeps what was found for an image.
func (f implicitFiles) write(image int, v implicitValues) error {
	var all []safetensors.Tensor
	for name, values := range v.entries() {
		tensor := safetensors.Tensor{Name: name, DType: "F32", Shape: []int{len(*values)}}
		for _, value := range *values {
			tensor.Data = binary.LittleEndian.AppendUint32(tensor.Data, math.Float32bits(value))
		}
		all = append(all, tensor)
	}
	err := os.MkdirAll(f.directory, 0o755)
	if err == nil {
		err = safetensors.Write(f.path(image), all, map[string]string{weightsKey: f.weights})
	}
	if err != nil {
		return unwritten(f.path(image), err)
	}
	return nil
}

// read returns what was found for an image; a file that isn't there, is damaged or of other weights holds nothing.
func (f implicitFiles) read(image int) (v implicitValues, found bool) {
	stored, metadata, err := safetensors.Read(f.path(image))
	if err != nil || metadata[weightsKey] != f.weights {
		return v, false
	}
	entries := v.entries()
	for _, tensor := range stored {
		values := entries[tensor.Name]
		if values == nil || tensor.DType != "F32" {
			return v, false
		}
		for i := range len(tensor.Data) / 4 {
			*values = append(*values, math.Float32frombits(binary.LittleEndian.Uint32(tensor.Data[4*i:])))
		}
	}
	return v, len(stored) == len(entries) && v.fits(f.settings)
}

// fits says whether the values are those of as many draws and lambdas, for some number of classes and pixels.
func (v implicitValues) fits(settings Implicit) bool {
	problems, draws, lambdas := settings.problems(), settings.Draws, len(settings.Lambda)
	return len(v.target) > 0 && len(v.target)%draws == 0 && len(v.reached) == len(v.target)*lambdas &&
		len(v.change) > 0 && len(v.change)%(3*problems) == 0 && len(v.steps) == problems
}
