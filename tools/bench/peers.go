package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/trial"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

// peerFlags are the flags of the comparison with other programs.
type peerFlags struct {
	python, device, precision string
	networks, what, with      []string
	images, samples           int
}

func peersCommand(a *app) *cobra.Command {
	var flags peerFlags
	command := &cobra.Command{
		Use:   "peers",
		Short: "Compare with PyTorch, in alternation on this machine",
		Long: "Compare with PyTorch, with PyTorch whose memory allocator keeps its memory, and " +
			"with XLA on the processor where its plugin is\n" +
			"present. The programs run in turn, each in a separate process; the ratio is our " +
			"time over theirs, round by round.\n" +
			"`make bench-peers` prepares the Python that this needs.",
		Example: "  bench peers --python .cache/peers/bin/python --networks " +
			"allcnnc:96,resnet18:16 --what train",
		RunE: func(c *cobra.Command, _ []string) error {
			return runPeers(c.Context(), a, flags)
		},
	}
	f := command.Flags()
	f.StringVar(&flags.python, "python", "python3", "Python with PyTorch")
	f.StringSliceVar(&flags.networks, "networks", strings.Fields("allcnnc:96 allcnnc:24 "+
		"vgg16:64 vgg16:16 resnet18:64 resnet18:16 resnet18:8 preactresnet18:64 "+
		"preactresnet18:16"),
		"networks with their widths")
	f.StringSliceVar(&flags.what, "what", []string{"train", "evaluate"},
		"what is measured: train, evaluate")
	f.StringSliceVar(&flags.with, "with", nil, "other programs: pytorch, tuned, xla; default all "+
		"that are present")
	f.IntVar(&flags.images, "images", 32, "images of a step")
	f.IntVar(&flags.samples, "samples", 4, "samples for each image")
	f.StringVar(&flags.device, "device", "cpu", "where PyTorch computes: cpu, or cuda, where "+
		"it's compiled")
	f.StringVar(&flags.precision, "precision", "float32", "of all programs: float32, or "+
		"bfloat16, for which nbbnn needs XLA")
	return command
}

// Each program has so many processes, each of which measures about so long, but two steps at least.
const (
	peerRounds  = 5
	peerSeconds = 4
)

type peerWork struct {
	what    string
	network network.Network
}

// runPeers compares on every network.
func runPeers(ctx context.Context, a *app, flags peerFlags) error {
	networks, err := parseNetworks(flags.networks)
	if err != nil {
		return err
	}
	var work []peerWork
	for _, net := range networks {
		net.Precision = flags.precision
		if err := (trial.Workload{
			Settings: network.Settings{Network: net}}).Validate(); err != nil {
			return commandline.Usage(err)
		}
		for _, what := range flags.what {
			work = append(work, peerWork{what, net})
		}
	}
	var all []Comparison
	var failures []error
	for _, w := range work {
		comparison, err := comparePeers(ctx, a, flags, w.what, w.network)
		failures = append(failures, err)
		if len(comparison.Entries) > 0 {
			all = append(all, comparison)
		}
		if len(comparison.Entries) == 0 || ctx.Err() != nil {
			break
		}
	}
	if len(all) > 0 {
		failures = append(failures, a.print(all, func() viz.Table { return comparisonTable(all) }))
	}
	return errors.Join(failures...)
}

// parseNetworks reads several, of which a wrong one is wrong usage.
func parseNetworks(texts []string) ([]network.Network, error) {
	networks := make([]network.Network, len(texts))
	for i, text := range texts {
		var err error
		if networks[i], err = parseNetwork(text); err != nil {
			return nil, commandline.Usage(err)
		}
	}
	return networks, nil
}

// parseNetwork reads "resnet18:16".
func parseNetwork(text string) (network.Network, error) {
	name, width, _ := strings.Cut(text, ":")
	number, err := strconv.Atoi(width)
	if width != "" && err != nil || !slices.Contains(network.Names(), name) {
		return network.Network{}, fmt.Errorf("bench peers: unknown network %q: give a name and a "+
			"width, for example resnet18:16; the names are %s",
			text, strings.Join(network.Names(), ", "))
	}
	return network.Network{Name: name, Width: number}, nil
}

// comparePeers runs all programs on one workload.
func comparePeers(ctx context.Context, a *app, flags peerFlags, what string,
	net network.Network) (Comparison, error) {
	programs, err := flags.programs(what, net)
	if err != nil {
		return Comparison{}, err
	}
	name := fmt.Sprintf("%s %s:%d", what, net.Name, net.Width)
	return compare(ctx, programs, peerRounds, func(round int) {
		fmt.Fprintf(a.err, "peers    %-26s round %d of %d\n", name, round, peerRounds)
	})
}

func (f peerFlags) programs(what string, net network.Network) ([]Program, error) {
	script, found := map[string]string{"train": "train.py", "evaluate": "evaluate.py"}[what]
	if !found {
		return nil, commandline.Usagef("bench peers: unknown measurement %q: choose "+
			"train, evaluate", what)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("bench: this program can't find its own file: %w: start it by its "+
			"path", err)
	}
	work := f.arguments(what, net)
	ours := append([]string{self, what, "--json"}, work...)
	theirs := append([]string{f.python, filepath.Join("tools", "bench", "pytorch", script),
		"--device", f.device}, work...)
	if f.device == "cuda" {
		theirs = append(theirs, "--compile")
	}
	programs := []Program{{Name: "nbbnn", Command: ours}}
	for _, name := range f.peers() {
		switch name {
		case "pytorch":
			programs = append(programs, Program{Name: "PyTorch", Command: theirs})
		case "tuned":
			programs = append(programs, Program{Name: "PyTorch, malloc tuned", Command: theirs,
				Environment: mallocTuned})
		case "xla":
			programs = append(programs, Program{Name: "XLA on the CPU", Command: ours,
				Environment: []string{"GOMLX_BACKEND=xla:cpu"}})
		default:
			return nil, commandline.Usagef("bench peers: unknown program %q: choose "+
				"pytorch, tuned, xla", name)
		}
	}
	return programs, nil
}

// mallocTuned lets the C library keep freed memory instead of giving it back to the system after
// every step.
var mallocTuned = []string{"MALLOC_MMAP_MAX_=0", "MALLOC_TRIM_THRESHOLD_=1099511627776",
	"MALLOC_TOP_PAD_=67108864", "MALLOC_ARENA_MAX=1"}

// peers are the programs that were asked for, or all that are present.
func (f peerFlags) peers() []string {
	if len(f.with) > 0 {
		return f.with
	}
	if f.device == "cuda" {
		return []string{"pytorch"}
	}
	present := []string{"pytorch", "tuned"}
	for _, candidate := range engine.Inspect().Candidates {
		if candidate.Name == "xla:cpu" && candidate.Found {
			present = append(present, "xla")
		}
	}
	return present
}

// arguments are the same for all programs. Slow steps are repeated less often.
func (f peerFlags) arguments(what string, net network.Network) []string {
	operationsPerSecond := 100e9
	if f.device == "cuda" {
		operationsPerSecond = 50e12
	}
	w := trial.Workload{Settings: network.Settings{Network: net, Training: network.Training{
		Batch: f.images, Samples: f.samples}}}
	operations := w.TrainingOperations()
	if what == "evaluate" {
		operations = w.PredictionOperations()
	}
	steps := min(40, max(2, int(peerSeconds*operationsPerSecond/operations)))
	return []string{
		"--network", net.Name, "--width", strconv.Itoa(net.Width), "--precision", f.precision,
		"--images", strconv.Itoa(f.images),
		"--samples", strconv.Itoa(f.samples), "--steps", strconv.Itoa(steps), "--warm-up",
		strconv.Itoa(min(3, steps/2)),
	}
}

func comparisonTable(all []Comparison) viz.Table {
	table := viz.Table{Header: []string{"", "program", "step", "our time / theirs", "quartiles",
		"memory"}, Labels: 2}
	number := func(x float64) string { return fmt.Sprintf("%.2f", x) }
	for _, c := range all {
		label := fmt.Sprintf("%s %s:%d", c.What, c.Network, c.Width)
		for i, e := range c.Entries {
			row := []string{label, e.Name, quantity.Seconds(e.Seconds.Median), "", "",
				quantity.Bytes(e.PeakMemory)}
			if i > 0 {
				row[3], row[4] = number(e.Ratio.Median), e.Ratio.quartiles(number)
			}
			table.Rows = append(table.Rows, row)
		}
	}
	return table
}
