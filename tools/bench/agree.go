package main

import (
	"context"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

// agreeCommand compares the results of two engines.
func agreeCommand(a *app) *cobra.Command {
	settings := network.Settings{
		Training: network.Training{Epochs: 10, Batch: 32, Samples: 2, LearningRate: 0.0005, PosteriorLearningRate: 0.0005},
	}
	steps, against, report := 0, "", false
	command := &cobra.Command{
		Use:     "agree",
		Short:   "Train and predict on two engines and say how far apart they are",
		Example: "  GOMLX_BACKEND=xla:cpu go run ./tools/bench agree --network resnet18 --width 8",
		Args:    commandline.Arguments(),
		RunE: func(c *cobra.Command, _ []string) error {
			return agree(c.Context(), a, settings, against, steps, report)
		},
	}
	f := command.Flags()
	f.StringVar(&settings.Network.Name, "network", "allcnnc", "network: allcnnc, vgg16, resnet18 or preactresnet18")
	f.IntVar(&settings.Network.Width, "width", 8, "channels of the first layers")
	f.IntVar(&steps, "steps", 20, "training steps")
	f.StringVar(&against, "against", "go", "the other engine, as in GOMLX_BACKEND")
	f.BoolVar(&report, "report", false, "say how far apart they are, and don't fail if it's more than rounding")
	return command
}

func agree(ctx context.Context, a *app, settings network.Settings, against string, steps int, report bool) error {
	if steps < 1 {
		return commandline.Usage(fmt.Errorf("bench agree: %d training steps compare nothing: give --steps 1 or more", steps))
	}
	if err := computeExactly(); err != nil {
		return err
	}
	data, err := dataset.Open(ctx, dataset.Config{Name: dataset.Shapes10, TrainCount: 128, TestCount: 8})
	if err != nil {
		return err
	}
	got, err := trial.CompareEngines(ctx, settings, data, [2]string{os.Getenv("GOMLX_BACKEND"), against}, steps)
	if err != nil {
		return err
	}
	if err := a.print(got, func() viz.Table { return agreementTable(got) }); err != nil || report {
		return err
	}
	return judge(got)
}

// computeExactly lets a GPU compute float32 in float32, unless the user says otherwise: the
// rounding of TF32 would hide an error.
func computeExactly() error {
	if _, set := os.LookupEnv(engine.PrecisionVariable); set {
		return nil
	}
	if err := os.Setenv(engine.PrecisionVariable, "0"); err != nil {
		return fmt.Errorf("bench agree: %s can't be set: %w: set it to 0", engine.PrecisionVariable, err)
	}
	return nil
}

// agreementTable has a row for each quantity.
func agreementTable(got trial.Agreement) viz.Table {
	table := viz.Table{Header: []string{fmt.Sprintf("%s and %s, %d steps", got.Engines[0], got.Engines[1], got.Steps), "differ by", "at most"}, Labels: 3}
	for _, d := range got.Differences {
		table.Rows = append(table.Rows, []string{d.What, fmt.Sprintf("%.1e", d.Value), fmt.Sprintf("%.1e", d.Tolerance)})
	}
	return table
}

// judge returns an error if two engines are further apart than rounding makes them.
func judge(got trial.Agreement) error {
	for _, d := range got.Differences {
		if !d.Agrees() {
			return fmt.Errorf("bench agree: %s and %s: %s differs by %.1e, at most %.1e is rounding: one of the engines computes wrongly",
				got.Engines[0], got.Engines[1], d.What, d.Value, d.Tolerance)
		}
	}
	return nil
}
