package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// programCommand writes training steps for a machine that has XLA but none of our programs.
func programCommand(a *app) *cobra.Command {
	var settings network.Settings
	var precision, out string
	steps := 0
	command := &cobra.Command{
		Use:   "program",
		Short: "Write training steps as a program of XLA, with its arguments and the losses of pure Go",
		Long: "Write training steps as a program of XLA, with its arguments and the losses of pure Go, which tools/gpu/program.py\n" +
			"runs with JAX alone. It takes an XLA plugin for processors, which `make xla-cpu` brings.",
		Example: "  go run ./tools/bench program --network resnet18 --width 16 --out out/program",
		Args:    commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			settings.Network.Precision = network.Precision(precision)
			return writeProgram(c.Context(), a, settings, steps, out)
		},
	}
	f := command.Flags()
	f.StringVar(&settings.Network.Name, "network", "allcnnc", "network: allcnnc, vgg16, resnet18 or preactresnet18")
	f.IntVar(&settings.Network.Width, "width", 8, "channels of the first layers")
	f.StringVar(&precision, "precision", "", "of convolutions and activations: float32 or bfloat16")
	f.IntVar(&settings.Training.Batch, "images", 32, "images of a step")
	f.IntVar(&settings.Training.Samples, "samples", 2, "samples of the latents for each image")
	f.IntVar(&steps, "steps", 20, "steps of the program")
	f.StringVar(&out, "out", "out/program", "folder of the files")
	return command
}

// expectedResult is expected.json.
type expectedResult struct {
	Network   network.Network `json:"network"`
	Images    int             `json:"images"`
	Samples   int             `json:"samples"`
	Steps     int             `json:"steps"`
	Losses    []float64       `json:"losses"`    // of pure Go, a step each
	Tolerance float64         `json:"tolerance"` // of their sum, relative to it
}

func writeProgram(ctx context.Context, a *app, settings network.Settings, steps int, out string) error {
	const rate = 0.0005
	if steps < 1 || settings.Training.Batch < 1 {
		return commandline.Usage(fmt.Errorf("bench program: %d steps of %d images: give 1 or more of each", steps, settings.Training.Batch))
	}
	settings.Training.Epochs, settings.Training.LearningRate, settings.Training.PosteriorLearningRate = 10, rate, rate
	data, err := dataset.Open(ctx, dataset.Config{Name: dataset.Shapes10, TrainCount: steps * settings.Training.Batch, TestCount: 10})
	if err != nil {
		return err
	}
	settings = settings.WithDefaults()
	program, err := trial.NewProgram(ctx, settings, data, steps)
	if err != nil {
		return err
	}
	expected := expectedResult{settings.Network, settings.Training.Batch, settings.Training.Samples, program.Steps, program.Losses, program.Tolerance}
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(out, "program.mlir"), []byte(program.Text), 0o644); err != nil {
		return err
	}
	arguments := program.Arguments
	for i := range arguments { // their order is that of the program
		arguments[i].Name = fmt.Sprintf("%04d %s", i, arguments[i].Name)
	}
	if err := safetensors.Write(filepath.Join(out, "arguments.safetensors"), arguments, nil); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(out, "expected.json"))
	if err != nil {
		return err
	}
	defer file.Close()
	if err := files.WriteJSON(file, expected); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "wrote    %s: %d steps, %d arguments\n", out, program.Steps, len(arguments))
	return file.Close()
}
