package nbbnn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/quantity"
)

// checkHeldOut checks that a configuration whose weights were trained before holds out the images
// that their training held out, or none. A temperature fitted to images that were trained on would
// be too low. name is that of the run or the file with the weights. Other data have other images.
func checkHeldOut(name string, own, theirs Data) error {
	if own.Validation == 0 || own.source() != theirs.source() {
		return nil
	}
	own, theirs = own.split(), theirs.split()
	if own == theirs {
		return nil
	}
	return fmt.Errorf("nbbnn: %s may have been trained on the %s that would be held out, since its data had %s: hold none out (Config.Data.Validation), or train it with the same images held out",
		name, quantity.Count(own.Validation, "image"), differences(Config{Data: theirs}, Config{Data: own}))
}

// source names the images, which data sets may share: both editions of Shapes10 show the same scenes,
// and a set that somebody added is known by its content.
func (d Data) source() string {
	if d.Name == dataset.Shapes10Bright {
		return dataset.Shapes10
	}
	return cmp.Or(d.Content, d.Name)
}

// split returns what decides which training images are held out.
func (d Data) split() Data {
	d.Name, d.Content, d.Train, d.Test = d.source(), "", d.Images().Size().Train, 0
	if d.Name != dataset.Shapes10 { // isn't drawn
		d.Seed = 0
	}
	if d.LabelNoise == 0 {
		d.NoiseForm = ""
	}
	return d
}

// checkExportedSplit refuses to hold out images that the weights of a file that Export wrote were
// trained on. Nothing is known of the images of another file.
func checkExportedSplit(own Config, path string, metadata map[string]string) error {
	var theirs Config
	if err := json.Unmarshal([]byte(metadata[configKey]), &theirs); err != nil {
		return nil
	}
	return checkHeldOut(path, own.WithDefaults().Data, theirs.WithDefaults().Data)
}

// importNotes says what nobody but the user can know of weights that were imported.
func importNotes(card Card) []string {
	ofParent := card.Parent != nil && strings.HasPrefix(card.Parent.Source, importedFrom)
	if !card.imported() && !ofParent || card.Config.Data.Validation == 0 {
		return nil
	}
	return []string{"the weights were imported: check that they weren't trained on the images that are held out"}
}

// imported reports whether the run's weights were trained elsewhere.
func (c Card) imported() bool { return strings.HasPrefix(c.Engine, importedFrom) }
