package sources

import (
	_ "embed" // of the sources
	"encoding/json"
)

// sourcesJSON lists the data sets that can be downloaded. Sizes and checksums are from CORRUPT.md B
// and E, torchvision, TensorFlow Datasets and Keras, and left out if none of them gives one. The
// textures of frost are from the reference's repository at its newest commit.
//
//go:embed sources.json
var sourcesJSON []byte

var all = func() (all []Source) {
	if err := json.Unmarshal(sourcesJSON, &all); err != nil {
		panic(err)
	}
	return all
}()
