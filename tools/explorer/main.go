// Command explorer trains and tests the networks that come with package explorer, and writes their
// files to lab/explorer/networks. It must be started in the root of the repository:
//
//	go run ./tools/explorer
//
// Runs that are in the folder that -runs names already aren't trained or tested again.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"log"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/lab/explorer"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
)

const folder = "lab/explorer/networks"

func main() {
	runs := flag.String("runs", "runs", "folder of the runs")
	flag.Parse()
	if err := writeAll(context.Background(), *runs); err != nil {
		log.Fatal(err)
	}
}

// writeAll writes the files of all networks.
func writeAll(ctx context.Context, runs string) error {
	for _, gamma := range explorer.Gammas() {
		run, err := trained(ctx, runs, gamma)
		if err != nil {
			return err
		}
		if err := write(run, filepath.Join(folder, explorer.File(gamma))); err != nil {
			return err
		}
	}
	return nil
}

// trained returns the run of a network, trained and tested.
func trained(ctx context.Context, runs string, gamma float64) (*nbbnn.Run, error) {
	run, err := nbbnn.Open(runs, explorer.Config(gamma))
	if err != nil {
		return nil, err
	}
	fmt.Println(run.Directory())
	if !run.Complete() {
		if err := run.Train(ctx, nil); err != nil {
			return nil, err
		}
	}
	_, err = run.Evaluate(ctx, explorer.Evaluation(), nil)
	return run, err
}

// write writes the weights, the card and the cells of a run to files that begin with a name.
func write(run *nbbnn.Run, name string) error {
	card, err := run.Card()
	if err != nil {
		return err
	}
	cells, err := run.Cells(explorer.Evaluation())
	if err != nil {
		return err
	}
	if err := run.Export(name+".safetensors", network.WorkbenchLayout); err != nil {
		return err
	}
	for extension, content := range map[string]any{".card.json": card, ".cells.json": cells} {
		if err := files.Write(name+extension, func(w io.Writer) error { return files.WriteJSON(w, content) }); err != nil {
			return err
		}
	}
	return nil
}
