package command

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// isONNX reports whether a file has the ending of the ONNX format.
func isONNX(path string) bool { return strings.EqualFold(filepath.Ext(path), ".onnx") }

// graphForm completes an ONNX file: the order of the colours, and the output of each class.
type graphForm struct {
	channels string
	outputs  []int
}

// importONNX makes a run of the network in a file, tests it and prints its card.
func importONNX(ctx context.Context, a *app, order trainOrder, path string, form graphForm,
	start startingPoint, given *pflag.FlagSet) error {
	if start != (startingPoint{tested: true}) {
		return commandline.Usagef("nbbnn weights import: %s defines its network: leave "+
			"--config, --preset and --compress out, and give --data", path)
	}
	taken := strings.Fields("data train test validation batch no-augmentation normalisation seed")
	if err := refuseTraining(path, taken, given); err != nil {
		return err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(10)) // weights are in memory three times
	run, err := importGraph(ctx, a, path, form, taken, given)
	if err != nil {
		return err
	}
	return finishImport(ctx, a, order, run)
}

// refuseTraining refuses the flags of a training, which a file has behind it.
func refuseTraining(path string, taken []string, given *pflag.FlagSet) error {
	var refused []string
	newConfigFlags(new(nbbnn.Config)).VisitAll(func(flag *pflag.Flag) {
		if given.Changed(flag.Name) && !slices.Contains(taken, flag.Name) {
			refused = append(refused, "--"+flag.Name)
		}
	})
	if len(refused) == 0 {
		return nil
	}
	return commandline.Usagef("nbbnn: %s doesn't go with %s, which defines its network "+
		"and is trained: leave it out, or give it to `nbbnn posthoc`",
		quantity.List(refused, 3), path)
}

// importGraph makes a run of the network in a file, with the settings of some flags; it refuses
// flags for what the file states.
func importGraph(ctx context.Context, a *app, path string, form graphForm, flags []string,
	given *pflag.FlagSet) (*nbbnn.Run, error) {
	of, err := flagsAmong(flags, given)
	if err != nil {
		return nil, commandline.Usage(err)
	}
	for _, name := range strings.Fields("network width form precision") {
		if given.Changed(name) {
			return nil, commandline.Usagef("nbbnn: --%s doesn't go with %s, which "+
				"defines its network: leave it out", name, path)
		}
	}
	config, err := setFlags(nbbnn.Config{}, of)
	if _, missing := os.Stat(path); missing != nil {
		return nil, commandline.Usagef("nbbnn: %w: give the path of a file in the ONNX format",
			missing)
	}
	if err == nil && !given.Changed("data") {
		err = fmt.Errorf("nbbnn: %s doesn't say which images it was trained on: give --data, and "+
			"--normalisation if it wasn't trained with that of the data set", path)
	}
	if err != nil {
		return nil, commandline.Usage(err)
	}
	run, err := nbbnn.ImportONNX(ctx, a.runs, fitBatch(config, given), path, form.channels,
		form.outputs)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.err, "network  %s from %s, %d layers that may have latents\n", run.Directory(),
		path, len(run.Config().Layers()))
	return run, nil
}

// exportONNX writes the prediction of a run in the ONNX format.
func exportONNX(ctx context.Context, a *app, run *nbbnn.Run, path string, flags exportFlags) error {
	if flags.sample > 0 || flags.latents != "" || flags.layout != string(network.WorkbenchLayout) {
		return commandline.Usagef("nbbnn weights export: %s has the noise of a run, or "+
			"its sampling: leave --sample, --latents and --layout out", path)
	}
	return run.Export(ctx, path, nbbnn.ExportOptions{Sampling: flags.sampling})
}
