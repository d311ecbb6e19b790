package command

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

func weightsCommand(a *app) *cobra.Command {
	return group(cobra.Command{
		Use: "weights",
		Short: "Write the weights of a run for other programs, or make a run of weights from " +
			"elsewhere",
		Long: `Write the weights of a run to a safetensors file that other programs read, or make a
run of the weights in such a file. docs/method.md states the names and the order of the axes.`,
		Example: "  nbbnn weights export 9f3c\n  nbbnn weights import 9f3c2a1b44d0.safetensors",
	}, exportCommand(a), importCommand(a))
}

func exportCommand(a *app) *cobra.Command {
	var flags exportFlags
	command := &cobra.Command{
		Use:   "export RUN [FILE]",
		Short: "Write the weights and the posterior of a trained run to a safetensors file",
		Long: `Write the weights and the posterior of a trained run to a safetensors file that other
programs read. docs/method.md states the names and the order of the axes. Without FILE it's
NAME.safetensors in the current directory. A run of swag or csghmc predicts with several networks.
Without flags the file has the weights at the end of its training; --latents mean writes the mean
of swag, and --sample N its draw or the snapshot of csghmc number N. FILE.onnx is the whole
prediction in the ONNX format, from images of bytes to the log-probabilities of each sample.`,
		Example: `  nbbnn weights export 9f3c
  nbbnn weights export 9f3c weights.safetensors --layout reference
  nbbnn weights export 9f3c ordinary.safetensors --latents mean
  nbbnn weights export 9f3c network.onnx --sampling`,
		RunE: func(c *cobra.Command, args []string) error {
			return flags.toFile(c.Context(), a, args)
		},
	}
	f := command.Flags()
	f.StringVar(&flags.layout, "layout", string(network.WorkbenchLayout),
		"names and order of the axes: workbench, or reference for the published PyTorch code")
	f.IntVar(&flags.sample, "sample", 0, "for a run of swag or csghmc, the draw or the snapshot "+
		"with this number, from 1 on")
	f.StringVar(&flags.out, "out", "", "the same as FILE")
	f.BoolVar(&flags.sampling, "sampling", false, "with a FILE in the ONNX format, draw the "+
		"noise in the file, whose input samples is their number; without it the noise of each "+
		"layer is an input")
	f.StringVar(&flags.latents, "latents", "",
		`fold the latents into the weights and leave the posterior out: ones or mean; "" exports both`)
	return command
}

// exportFlags are the flags of the export command.
type exportFlags struct {
	layout, latents, out string
	sample               int
	sampling             bool
}

// toFile writes the run of the first argument into the file of the second.
func (flags exportFlags) toFile(ctx context.Context, a *app, args []string) error {
	if len(args) == 2 && flags.out != "" {
		return commandline.Usagef("nbbnn weights export: %s and --out %s are two files: give one",
			args[1], flags.out)
	}
	run, err := findRun(a, args[0])
	if err != nil {
		return err
	}
	path := cmp.Or(strings.Join(args[1:], ""), flags.out, titleOf(run)+".safetensors")
	if !isONNX(path) && !strings.EqualFold(filepath.Ext(path), ".safetensors") {
		return commandline.Usagef("nbbnn weights export: %s has another ending than the two "+
			"formats: NAME.safetensors for the weights, NAME.onnx for the whole prediction", path)
	}
	_, exported, _ := nbbnn.ReadExportedConfig(path) // what can't be read is another file
	if _, err := os.Lstat(path); err == nil && exported != run.Config().Hash() {
		return commandline.Usagef("nbbnn weights export: %s exists and isn't an export of run %s: "+
			"give another name", path, args[0])
	}
	if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
		err = export(ctx, a, run, path, flags)
	}
	if err != nil {
		return err
	}
	return a.printPaths("wrote", path)
}

// export writes the network of a run that the flags choose.
func export(ctx context.Context, a *app, run *nbbnn.Run, path string, flags exportFlags) error {
	layout, method := network.Layout(flags.layout), run.Config().WithDefaults().Method
	if err := cmp.Or(
		check.Known("layout", layout, network.WorkbenchLayout, network.ReferenceLayout),
		check.Known("latents", network.Latents(flags.latents), "", nbbnn.OneLatents,
			nbbnn.MeanLatents)); err != nil {
		return commandline.Usage(err)
	}
	if isONNX(path) {
		return exportONNX(ctx, a, run, path, flags)
	}
	if flags.sampling {
		return commandline.Usagef("nbbnn weights export: --sampling needs a file "+
			"in the ONNX format, not %s: call it NAME.onnx, or leave the flag out", path)
	}
	if flags.sample > 0 && flags.latents != "" {
		return commandline.Usagef("nbbnn weights export: --sample %d and --latents %s "+
			"are two networks: leave one of them out", flags.sample, flags.latents)
	}
	if methods.HasSeveralWeights(method) {
		if err := methods.CheckLatents(method, network.Latents(flags.latents)); err != nil {
			return commandline.Usage(err)
		}
	}
	progress := newProgress(a.streams, "")
	err := run.Export(ctx, path, nbbnn.ExportOptions{Layout: layout, Sample: flags.sample,
		Latents: network.Latents(flags.latents), Progress: progress.report("")})
	progress.finish()
	if err != nil || flags.sample > 0 || flags.latents != "" {
		return err
	}
	switch method.Name {
	case baseline.SWAG:
		a.note("these are the weights at the end of the training: " +
			"predictions of swag draw others, and --latents mean exports their mean")
	case baseline.CSGHMC:
		a.note("these are the weights at the end of the training, the last " +
			"snapshot of csghmc: --sample N exports snapshot N")
	}
	return nil
}

func importCommand(a *app) *cobra.Command {
	var start startingPoint
	var order trainOrder
	var form graphForm
	command := &cobra.Command{
		Use:   "import FILE",
		Short: "Make a run of weights that were trained elsewhere",
		Long: "Make a complete run of the weights and the posterior in a safetensors file: one " +
			"that `nbbnn weights export` wrote, whose\n" +
			"configuration is taken, with no other settings, or a state dictionary of the " +
			"published PyTorch code, whose\n" +
			"configuration --preset or --config and the flags of `nbbnn train` give. A file in " +
			"the ONNX format, NAME.onnx, defines\n" +
			"its network, too: give --data, and --normalisation if the network wasn't trained " +
			"with the data set's.",
		Example: `  nbbnn weights import convnext.onnx --data birds --normalisation imagenet
  nbbnn weights import 9f3c2a1b44d0.safetensors
  nbbnn weights import checkpoint.safetensors --preset vgg16-cifar100 --gamma 80 --seed 1`,
		RunE: func(c *cobra.Command, args []string) error {
			start.tested = true
			if isONNX(args[0]) {
				return importONNX(c.Context(), a, order, args[0], form, start, c.Flags())
			}
			for _, name := range []string{"channels", "class-map"} {
				if c.Flags().Changed(name) {
					return commandline.Usagef("nbbnn weights import: --%s needs a file in "+
						"the ONNX format, not %s: leave it out", name, args[0])
				}
			}
			if start.file == "" && start.preset == "" {
				start.export = args[0]
				if err := checkDescribed("weights import", args[0], c.Flags()); err != nil {
					return commandline.Usage(err)
				}
			}
			config, err := readConfig(start, c.Flags())
			if err != nil {
				return commandline.Usage(err)
			}
			order.config = config
			return importRun(c.Context(), a, order, args[0])
		},
	}
	addStartFlags(command.Flags(), &start)
	addConfigFlags(command.Flags(), new(nbbnn.Config))
	addNameFlags(command.Flags(), &order)
	f := command.Flags()
	f.Lookup("normalisation").Annotations = nil // most files need it: --help shows it
	f.IntSliceVar(&form.outputs, "class-map", nil, "output of each class of the data set, from 0 "+
		"on, of a network in the ONNX format that has others, too, as in 0,217,482; the others "+
		"are dropped, and the rest is renormalised")
	f.StringVar(&form.channels, "channels", "", "order of the colours that the network "+
		"of a file in the ONNX format takes: rgb, or bgr as of OpenCV; empty means rgb")
	return command
}

// importRun makes the run, tests it and prints its card.
func importRun(ctx context.Context, a *app, order trainOrder, path string) error {
	if err := a.checkLabel(order.config.WithDefaults().RunName(), order.name,
		order.tags); err != nil {
		return err
	}
	run, err := nbbnn.Import(ctx, a.runs, order.config, path)
	if err != nil {
		return err
	}
	return finishImport(ctx, a, order, run)
}

// finishImport names and tests an imported run and prints its card.
func finishImport(ctx context.Context, a *app, order trainOrder, run *nbbnn.Run) error {
	if err := a.label(run.Directory(), order.name, order.tags); err != nil {
		return err
	}
	if err := testCleanly(ctx, a, run); err != nil {
		return err
	}
	if err := noteUnrecognised(a, run); err != nil {
		return err
	}
	return reportCard(a, run, "card")
}

// noteUnrecognised explains what may be wrong if an imported network hardly beats guessing, or is
// much too confident, as with pixels of another scale.
func noteUnrecognised(a *app, run *nbbnn.Run) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	cells, err := run.Cells(card.QuickTest())
	if err != nil {
		return nil // a test that failed has its note
	}
	const farOff = 0.3 // mean distance of a confidence from the accuracy
	is, tested := "", cells[0]
	switch guessing := math.Log(float64(card.Data.Classes)); {
	case tested.Error > check.Unrecognised(card.Data.Classes):
		is = fmt.Sprintf("wrong on %.0f %% of the test images, where a guess is on %.0f %%",
			100*tested.Error, 100-100/float64(card.Data.Classes))
	case tested.NLL > guessing:
		is = fmt.Sprintf("worse than a guess by its NLL, %.2f, where guessing has %.2f", tested.NLL,
			guessing)
	case tested.ECE > farOff:
		is = fmt.Sprintf("%.2f off in its confidence (ECE)", tested.ECE)
	}
	if is != "" {
		a.note("the network is %s: check --normalisation, the order of the classes (`nbbnn data "+
			"add NAME FOLDER --alphabetical`), and whether it was trained for long enough", is)
	}
	return nil
}
