package nbbnn

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Import makes a complete run of weights that were trained elsewhere: a safetensors file in either
// Layout, which is recognised by the names of its tensors. A state dictionary of the published code
// becomes such a file through safetensors.torch.save_file. The configuration says what was trained;
// every tensor of its network must be there with its shape, and no other. A file of Export has its
// own configuration (ReadExportedConfig), and another one is refused. Without one the name of the
// run depends on the weights too, so that several files are several runs, and the same weights open
// the run again. A file with fixed latents is refused. The run has no history, and its card says
// where the weights came from. An import that failed or was killed can be repeated.
func Import(ctx context.Context, directory string, config Config, path string) (*Run, error) {
	stored, metadata, err := readExport(path)
	if err != nil {
		return nil, err
	}
	err = cmp.Or(checkImported(config, path, metadata), checkNotFolded(path, metadata),
		checkExportedSplit(config, path, metadata),
		checkExportedConfig(config, path, metadata))
	if err != nil {
		return nil, err
	}
	if metadata[configKey] == "" {
		config.Imported = safetensors.SHA256(stored)
	}
	return importInto(ctx, directory, config, path, stored)
}

// importInto makes a complete run from the weights in a file, or opens the existing one.
func importInto(ctx context.Context, directory string, config Config, path string,
	stored []network.Tensor) (*Run, error) {
	run, err := Open(directory, config)
	if err != nil {
		return nil, err
	}
	t, err := readImport(ctx, run, path, stored)
	if err != nil {
		return nil, err
	}
	return t.writeOnce()
}

// isThere reports whether the run is complete and has these weights.
func isThere(t *trainer) (bool, error) {
	card, complete, err := t.run.completeCard()
	if err != nil || !complete {
		return false, nil
	}
	variables, err := t.variables()
	if err != nil {
		return false, err
	}
	sum, err := exportedSHA256(card.Config, variables)
	return sum == card.WeightsSHA256, err
}

// ImportOrdinary makes a complete run of the weights of an ordinary network that was trained
// elsewhere, for PosthocOf. The file is one that Import takes, for example a state dictionary of
// PyTorch with the names of torchvision's ResNet18. The name of the run always depends on the
// weights too. Config.Pixels states the normalisation that the network was trained with.
func ImportOrdinary(ctx context.Context, directory string, config Config, path string) (*Run,
	error) {
	stored, metadata, err := readExport(path)
	if err != nil {
		return nil, err
	}
	if err := cmp.Or(checkNotFolded(path, metadata), checkExportedSplit(config, path,
		metadata)); err != nil {
		return nil, err
	}
	for _, tensor := range stored {
		if network.WorkbenchLayout.InPosterior(tensor.Name) ||
			network.ReferenceLayout.InPosterior(tensor.Name) {
			return nil, fmt.Errorf("nbbnn: %s holds a node-BNN already, with the posterior %s: "+
				"give an ordinary network, or `nbbnn weights import` it as it is",
				path, tensor.Name)
		}
	}
	config.Posterior, config.Objective = Posterior{Mode: Deterministic}, Objective{}
	config.Imported = safetensors.SHA256(stored)
	return importInto(ctx, directory, config, path, stored)
}

// checkWithoutWeights refuses to import over other weights and over recorded results. An import
// that was killed leaves a checkpoint without card and history, which may be replaced.
func checkWithoutWeights(r *Run) error {
	if r.Recorded() {
		return r.untrained()
	}
	if exists(r.checkpointPath()) && (exists(r.path("card.json")) || exists(r.history().path)) {
		return fmt.Errorf("nbbnn: %s has weights already: evaluate them, or import into another "+
			"directory of runs (--runs)", r.directory)
	}
	return nil
}

// readImport returns the state at the end of a training that led to the weights of a file.
func readImport(
	ctx context.Context, r *Run, path string, stored []network.Tensor,
) (*trainer, error) {
	data, err := openParts(ctx, r.config.Data)
	if err != nil {
		return nil, stopped(err)
	}
	t, err := newTrainer(r, data.Dataset)
	if err != nil {
		return nil, err
	}
	if t.notes, err = t.stepper.Model.ImportTensors(path, stored); err != nil {
		return nil, err
	}
	t.notes = slices.Concat(t.notes, orderNote(data.Classes), trainingNote(r.config.Network))
	if r.config.Imported != "" && r.config.Pixels == (dataset.Normalisation{}) {
		t.notes = append(t.notes, fmt.Sprintf("the network is taken to be trained with the "+
			"normalisation of %s: state another one with --normalisation (Config.Pixels), for "+
			"example imagenet", data.Name))
	}
	source := engine.ImportedFrom + filepath.Base(path)
	t.state = trainingState{Epoch: r.config.Training.Epochs, DataHash: data.Hash,
		Engines: []string{source}}
	return t, nil
}

// orderNote warns that classes named by numbers have another order elsewhere; nil for others.
func orderNote(classes []string) []string {
	sorted := slices.Sorted(slices.Values(classes))
	for _, class := range classes {
		if _, err := strconv.Atoi(class); err != nil || slices.Equal(sorted, classes) {
			return nil
		}
	}
	return []string{fmt.Sprintf("the classes are in the order of their numbers, and "+
		"torchvision's ImageFolder has %s: weights that were trained so need the set of "+
		"`nbbnn data add NAME FOLDER --alphabetical`",
		strings.Join(sorted[:min(3, len(sorted))], ", "))}
}

// writeImport writes the checkpoint and, last, the card.
func writeImport(r *Run, t *trainer) error {
	unlock, err := r.lock()
	if err != nil {
		return err
	}
	defer unlock()
	if err := checkWithoutWeights(r); err != nil {
		return err
	}
	if err := t.save(); err != nil {
		return err
	}
	if err := t.writeCard(); err != nil {
		_ = os.Remove(r.checkpointPath())
		return err
	}
	return nil
}

// checkNotFolded refuses a file with fixed latents.
func checkNotFolded(path string, metadata map[string]string) error {
	if latents := metadata[latentsKey]; latents != "" {
		return fmt.Errorf("nbbnn: %s is run %.12s with its latents fixed at %s, not an ordinary "+
			"network that was trained: export the run without --latents and import that",
			path, metadata[runKey], latents)
	}
	return nil
}

// checkExportedConfig refuses another configuration than the one in a file of Export: the weights
// would count as another seed, or as trained in a way that they weren't.
func checkExportedConfig(config Config, path string, metadata map[string]string) error {
	if metadata[configKey] == "" {
		return nil
	}
	theirs, err := exportedConfig(path, metadata)
	if err != nil {
		return err
	}
	if text := differences(theirs.WithDefaults(), config.WithDefaults()); text != "" {
		return fmt.Errorf("nbbnn: the weights in %s were trained with %s: import them without "+
			"other settings, the file has its own", path, text)
	}
	return nil
}

// checkImported refuses a file of a sample, and any file for a method that predicts with
// several sets of weights.
func checkImported(config Config, path string, metadata map[string]string) error {
	if sample := metadata[sampleKey]; sample != "" {
		return fmt.Errorf("nbbnn: %s is the %s of run %.12s, not a network that was trained as "+
			"its configuration says: evaluate that run",
			path, sample, metadata[runKey])
	}
	if method := config.WithDefaults().Method; methods.HasSeveralWeights(method) {
		return fmt.Errorf("nbbnn: %s has one set of weights, and a run of the method %s predicts "+
			"with several: import it as an ordinary network (--method map)",
			path, method.Name)
	}
	return nil
}
