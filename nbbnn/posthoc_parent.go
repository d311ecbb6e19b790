package nbbnn

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// adoptWeights gives the network of a posthoc run that begins the weights of its parent; other runs
// have none.
func adoptWeights(ctx context.Context, t *trainer) (*CardParent, error) {
	config := t.run.config
	if !config.Posthoc.isSet() {
		return nil, nil
	}
	parent, err := openParent(t.run)
	if err != nil {
		return nil, err
	}
	if err := checkNormalisation(ctx, t, parent); err != nil {
		return nil, err
	}
	card, err := parent.Card()
	if err != nil {
		return nil, err
	}
	stored, _, err := parent.checkpoints().read(parent.checkpointPath())
	if err != nil {
		return nil, err
	}
	if err := config.Posthoc.checkWeights(stored); err != nil {
		return nil, err
	}
	model := t.stepper.Model()
	if err := model.SetWeights(stored); err != nil {
		return nil, fmt.Errorf("nbbnn: %s %w: give the network of run %s", parent.checkpointPath(), err, parent.config.RunName())
	}
	weights, err := exportedSHA256(parent.config, stored)
	if err != nil {
		return nil, err
	}
	from := &CardParent{Run: card.Run, WeightsSHA256: weights, StateSHA256: card.StateSHA256, Method: card.Method}
	if card.imported() {
		from.Source = card.Engine
	}
	if parent.config.Imported == "" { // trained by us, or imported with the configuration of its training
		return from, nil
	}
	return from, checkRecognises(ctx, t, from)
}

// openParent opens the parent of a posthoc run, in the same directory of runs.
func openParent(r *Run) (*Run, error) {
	runs, name := filepath.Dir(r.directory), r.config.Posthoc.Run
	path := filepath.Join(runs, name)
	if !exists(FilePath(path, "config.json")) {
		return nil, fmt.Errorf("nbbnn: run %s needs the weights of run %s, which isn't in %s: copy it there, or give the directory of runs that holds it (--runs)",
			r.config.RunName(), name, runs)
	}
	parent, err := OpenDirectory(path)
	if err != nil {
		return nil, err
	}
	if !parent.Complete() {
		return nil, parent.untrained()
	}
	return parent, checkParent(r.config, parent.config)
}

// checkParent checks that a configuration has the network and the classes of its parent, and holds
// out no images that its parent was trained on.
func checkParent(own, theirs Config) error {
	if own.Network.Name != theirs.Network.Name || own.Network.Width != theirs.Network.Width {
		return fmt.Errorf("nbbnn: run %s is %s of width %d, not %s of width %d: leave the network and its width out",
			theirs.RunName(), theirs.Network.Name, theirs.Network.Width, own.Network.Name, own.Network.Width)
	}
	if have, want := own.Data.Images().Size().Classes, theirs.Data.Images().Size().Classes; have != want && want > 0 { // a removed set has none
		return fmt.Errorf("nbbnn: run %s tells the %d classes of %s apart, and %s has %d: give the data set that it was trained on",
			theirs.RunName(), want, theirs.Data.Name, own.Data.Name, have)
	}
	return checkHeldOut("run "+theirs.RunName(), own.Data, theirs.Data)
}

// checkNormalisation checks that a network sees images of another data set as it saw those that it
// was trained on, unless the configuration says how.
func checkNormalisation(ctx context.Context, t *trainer, parent *Run) error {
	own, theirs := t.run.config, parent.config
	if own.Pixels != theirs.Pixels || own.Data.Name == theirs.Data.Name && own.Data.Content == theirs.Data.Content {
		return nil
	}
	data, err := theirs.OpenData(ctx)
	if err != nil {
		return err
	}
	model := t.stepper.Model()
	if theirs.Pixels == (dataset.Normalisation{}) && (data.Mean != model.Mean || data.Std != model.Std) {
		return fmt.Errorf("nbbnn: run %s was trained with the normalisation of %s, not of %s: state it with --normalisation %s (Config.Pixels)",
			theirs.RunName(), theirs.Data.Name, own.Data.Name, dataset.Normalisation{Mean: data.Mean, Std: data.Std})
	}
	return nil
}

// recognisedImages is how many training images an imported network is tried on.
const recognisedImages = 500

// checkRecognises refuses an imported network that is wrong on almost as many training images as a
// guess would be: that's how a network behaves that was trained with another normalisation, or for
// classes in another order.
func checkRecognises(ctx context.Context, t *trainer, parent *CardParent) error {
	images := t.data.Train.Slice(0, min(recognisedImages, t.data.Train.Count()))
	predictor, err := t.stepper.Model().With(OneLatents).NewPredictor(images.Count(), 1, 0)
	if err != nil {
		return err
	}
	prediction, err := predictor.Predict(ctx, images)
	if err != nil {
		return err
	}
	cell, err := prediction.Cell(score.Condition{Corruption: score.Clean}, images.Labels)
	if err != nil {
		return err
	}
	guess := 1 - 1/float64(len(t.data.Classes))
	if cell.Error < 0.75*guess {
		return nil
	}
	m := t.stepper.Model()
	return fmt.Errorf("nbbnn: the network %s is wrong on %.0f %% of %d training images, nearly as a guess is: if it was trained with another normalisation than %s, state it with --normalisation (Config.Pixels); else check the order of the classes",
		strings.TrimPrefix(parent.Source, importedFrom), 100*cell.Error, images.Count(), dataset.Normalisation{Mean: m.Mean, Std: m.Std})
}
