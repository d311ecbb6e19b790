package nbbnn

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/quantity"
)

// Data is the data set and how much of it is used.
type Data struct {
	// "" means "shapes10"
	Name  string `json:"name" help:"data set, built in or added with \"nbbnn data add\""`
	Train int    `json:"train" range:"[1,1e9]" help:"training images; if left out, all"`
	Test  int    `json:"test" range:"[1,1e9]" help:"test images, from the first; if left out, all"`
	// First leaves out the training images before it. So seeds can have different images.
	First int    `json:"train_first,omitempty" range:"[1,1e9]" help:"place of the first training image, from 0"`
	Seed  uint64 `json:"seed"` // of the drawing of Shapes10; unused by other data sets

	// Validation images have the classes of the training images in proportion.
	Validation int `json:"validation,omitempty" range:"[1,1e9]" help:"training images held out to choose gamma; 0 means none, the paper's number is 5000"`
	// LabelNoise is the share of labels that are replaced (METHOD.md section 4). NoiseForm says by
	// which: "" by one of the other classes, so that each chosen image ends with a wrong label, or
	// "any" by any class, so that one may keep its label by chance.
	LabelNoise float64 `json:"label_noise,omitempty" range:"(0,1]" help:"share of the training labels drawn again, 0 to 1; 0 means none"`
	NoiseForm  string  `json:"noise_form,omitempty" values:"any" help:"classes of training labels drawn again: empty for wrong ones, any for any class"`

	// Content identifies the images of an added set, as dataset.Manifest.Content; "" means the
	// current set of that name, and is the only value for a built-in set.
	Content string `json:"content,omitempty" from:"data"`
}

// Images returns what dataset.Open needs to open the images that a run uses.
func (d Data) Images() dataset.Config {
	return dataset.Config{Name: d.Name, TrainCount: d.Train, TrainFirst: d.First,
		TestCount: d.Test, Seed: d.Seed, Content: d.Content}
}

// tested returns what decides which test images there are.
func (d Data) tested() Data {
	return Data{Name: d.Name, Content: d.Content, Test: d.Test, Seed: d.Seed}
}

// withDefaults fills in the name, and the content of a set that a user added.
func (d Data) withDefaults() Data {
	d.Name = cmp.Or(d.Name, dataset.Shapes10)
	d.Content = cmp.Or(d.Content, dataset.Content("", d.Name))
	return d
}

// validate checks the filled settings.
func (d Data) validate() error {
	return cmp.Or(
		d.checkName(),
		check.Ranges(d),
		check.Known("form of label noise", d.NoiseForm, "", anyLabels),
	)
}

// checkName checks that there is such a data set. A run whose images were removed or replaced can
// still be read; opening its images then returns an error.
func (d Data) checkName() error {
	builtIn := slices.Contains(dataset.Names(), d.Name)
	switch {
	case builtIn && d.Content != "":
		return fmt.Errorf("nbbnn: content %s of the built-in data set %s: leave the content out",
			d.Content, d.Name)
	case builtIn:
		return nil
	case d.Content != "":
		return dataset.CheckName(d.Name)
	}
	return d.Images().Check()
}

// isHere reports whether the size of the data set is known: it isn't if a user's set was removed or
// replaced.
func (d Data) isHere() bool { return d.Images().Size().Classes > 0 }

// checkHeldOut checks that a configuration whose weights were trained before holds out the images
// that their training held out, or none: a temperature fitted to images that were trained on would
// be too low. name names the weights' run or file. Other data have other images.
func checkHeldOut(name string, own, theirs Data) error {
	if own.Validation == 0 || own.source() != theirs.source() {
		return nil
	}
	own, theirs = own.split(), theirs.split()
	if own == theirs {
		return nil
	}
	return fmt.Errorf("nbbnn: %s may have been trained on the %s that would be held out, since "+
		"its data had %s: hold none out (Config.Data.Validation), or train it with the same "+
		"images held out",
		name, quantity.Count(own.Validation, "image"), differences(Config{Data: theirs},
			Config{Data: own}))
}

// source names the images, which data sets may share: both editions of Shapes10 show the same
// scenes, and a set that somebody added is known by its content.
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
