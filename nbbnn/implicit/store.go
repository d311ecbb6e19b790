package implicit

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/safetensors"
)

// Store keeps implicit corruptions in a directory: a folder for each set of settings, a file for
// each image. The zero Store keeps nothing.
type Store struct {
	Directory string
	// names the network's weights by Card.StateSHA256 of their run, for example; corruptions of
	// other weights don't count
	Weights string
}

// Has reports whether the store keeps all corruptions of the settings for a posterior with a number
// of components.
func (s Store) Has(settings Settings, components int) bool {
	settings = settings.WithDefaults(components)
	folder, err := s.folder(settings)
	for i := 0; err == nil && i < settings.Images; i++ {
		if _, found := folder.read(settings.First + i); !found {
			return false
		}
	}
	return err == nil
}

// folder returns the folder of filled settings.
func (s Store) folder(settings Settings) (folder, error) {
	if s.Directory == "" {
		return folder{settings: settings}, nil
	}
	hash, err := settings.hash()
	return folder{filepath.Join(s.Directory, hash), s.Weights, settings}, err
}

// folder keeps the values of each image, found with one set of settings. An empty directory keeps
// nothing.
type folder struct {
	directory string
	weights   string
	settings  Settings // filled
}

// weightsKey is the entry of a file's metadata with the checksum of the weights.
const weightsKey = "weights_sha256"

func (f folder) path(image int) string {
	return filepath.Join(f.directory, fmt.Sprintf("image-%04d.safetensors", image))
}

func (f folder) metadata() map[string]string { return map[string]string{weightsKey: f.weights} }

// owner names the file of an image for its checksum: the settings, which name the folder, and the
// image.
func (f folder) owner(image int) string {
	return filepath.Base(f.directory) + "/" + filepath.Base(f.path(image))
}

// write keeps the values of an image.
func (f folder) write(image int, v values) error {
	if f.directory == "" {
		return nil
	}
	var all []safetensors.Tensor
	for name, numbers := range v.entries(f.settings.Method) {
		all = append(all, safetensors.FromFloats(name, *numbers, len(*numbers)))
	}
	err := os.MkdirAll(f.directory, 0o755)
	if err == nil {
		err = safetensors.WriteSealed(f.path(image), f.owner(image), all, f.metadata())
	}
	if err != nil {
		return fmt.Errorf("implicit: %w", files.Unwritten(f.path(image), err))
	}
	return nil
}

// read returns the values of an image. It finds none in a file that is missing, damaged or of other
// weights: a new search can replace them.
func (f folder) read(image int) (v values, found bool) {
	if f.directory == "" {
		return v, false
	}
	stored, metadata, err := safetensors.ReadSealed(f.path(image), f.owner(image))
	if err != nil || !maps.Equal(metadata, f.metadata()) {
		return v, false
	}
	entries := v.entries(f.settings.Method)
	for _, tensor := range stored {
		numbers := entries[tensor.Name]
		if numbers == nil || tensor.DType != "F32" {
			return v, false
		}
		*numbers = tensor.Floats()
	}
	return v, len(stored) == len(entries) && v.fits(f.settings)
}

// values are the results of a search for images; a file has one image's.
type values struct {
	target  []float32 // [images, draws, classes]
	reached []float32 // [images, draws, lambdas, classes]
	change  []float32 // [images, draws, lambdas, height, width, 3], in pixels of 0 to 1
	steps   []float32 // [images, draws, lambdas]

	// Zeros for Descent, whose files don't have them.
	gradient, subgradient []float32 // [images, draws, lambdas], relative to change 0
}

// entries returns the values by their names in a file of a method.
func (v *values) entries(method Method) map[string]*[]float32 {
	entries := map[string]*[]float32{"target": &v.target, "reached": &v.reached,
		"change": &v.change, "steps": &v.steps}
	if method == GaussNewton {
		entries["gradient"], entries["subgradient"] = &v.gradient, &v.subgradient
	}
	return entries
}

// part returns one of count equal parts, for example one image's.
func (v values) part(index, count int) values {
	of := func(numbers []float32) []float32 {
		size := len(numbers) / count
		return numbers[index*size:][:size]
	}
	return values{of(v.target), of(v.reached), of(v.change), of(v.steps), of(v.gradient),
		of(v.subgradient)}
}

// fits reports whether the values have the settings' draws and lambdas, for any classes and pixels.
func (v values) fits(settings Settings) bool {
	corruptions, draws, lambdas := settings.perImage(), settings.Draws, len(settings.Lambda)
	return len(v.target) > 0 && len(v.target)%draws == 0 &&
		len(v.reached) == len(v.target)*lambdas &&
		len(v.change) > 0 && len(v.change)%(3*corruptions) == 0 && len(v.steps) == corruptions &&
		(settings.Method != GaussNewton || len(v.gradient) == corruptions &&
			len(v.subgradient) == corruptions)
}
