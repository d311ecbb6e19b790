// Command explorer trains and tests the networks that come with package explorer, and writes their
// files to lab/explorer/networks. It must be started in the root of the repository:
//
//	go run ./tools/explorer
//
// Runs that are in the folder that -runs names already aren't trained or tested again.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"flag"
	"fmt"
	"io"
	"log"
	"os"
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

// writeAll writes the files of all networks and the list of their checksums.
func writeAll(ctx context.Context, runs string) error {
	var sums bytes.Buffer
	for _, gamma := range explorer.Gammas() {
		run, err := trained(ctx, runs, gamma)
		if err != nil {
			return err
		}
		names, err := write(run, explorer.File(gamma))
		if err != nil {
			return err
		}
		for _, name := range names {
			data, err := os.ReadFile(filepath.Join(folder, name))
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256(data), name)
			fmt.Printf("%s  %d bytes\n", name, len(data))
		}
	}
	return files.WriteBytes(filepath.Join(folder, "SHA256SUMS"), sums.Bytes())
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

// write writes the weights, the card and the cells of a run, and returns the names of the files.
func write(run *nbbnn.Run, name string) ([]string, error) {
	names := []string{name + ".safetensors", name + ".card.json", name + ".cells.json"}
	card, err := run.Card()
	if err != nil {
		return nil, err
	}
	cells, err := run.Cells(explorer.Evaluation())
	if err != nil {
		return nil, err
	}
	if err := run.Export(filepath.Join(folder, names[0]), network.WorkbenchLayout); err != nil {
		return nil, err
	}
	for i, content := range []any{card, cells} {
		path := filepath.Join(folder, names[i+1])
		if err := files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, content) }); err != nil {
			return nil, err
		}
	}
	return names, nil
}
