package explorer

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// shipped are the networks that come with the package, as tools/explorer wrote them: for each its
// weights as Run.Export writes them, its card and its cells, and a list of checksums.
//
//go:embed networks
var shipped embed.FS

// Gammas returns the coefficients of the entropy of the networks that come with the package.
func Gammas() []float64 { return []float64{0, 1, 4} }

// Config returns the configuration of the network with the given gamma. Its training takes about
// half a minute on two cores that do nothing else.
func Config(gamma float64) nbbnn.Config {
	return nbbnn.Config{
		Network:   nbbnn.Network{Name: "allcnnc", Width: 12},
		Data:      nbbnn.Data{Name: dataset.Shapes10Bright, Train: 1000, Test: 256},
		Posterior: nbbnn.Posterior{InitStd: 0.3},
		Objective: nbbnn.Objective{Gamma: gamma},
		Training: nbbnn.Training{
			Epochs: 40, Batch: 16, Samples: 1, LearningRate: 0.01, PosteriorLearningRate: 0.1, NoAugmentation: true,
		},
		Seed: 1,
	}
}

// File returns the name, without extension, of the files of the network with the given gamma.
func File(gamma float64) string { return fmt.Sprintf("gamma-%g", gamma) }

// Open opens the networks that come with the package, after comparing every file with its checksum,
// and draws their test images.
func Open(ctx context.Context) (*Explorer, error) {
	images := Config(0).Data.Images()
	images.TrainCount = 1 // the networks are trained
	data, err := dataset.Open(ctx, images)
	if err != nil {
		return nil, err
	}
	files, err := readShipped()
	if err != nil {
		return nil, err
	}
	e := &Explorer{Images: data.Test, Classes: data.Classes}
	for _, gamma := range Gammas() {
		if err := e.addShipped(data, files, gamma); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// addShipped adds the network with the given gamma from its files.
func (e *Explorer) addShipped(data *dataset.Dataset, files map[string][]byte, gamma float64) error {
	name := File(gamma)
	n := Network{Name: fmt.Sprintf("γ = %g", gamma)}
	if err := json.Unmarshal(files[name+".card.json"], &n.Card); err != nil {
		return unreadable(name+".card.json", err)
	}
	var err error
	if n.Tests, err = readTests(files, name); err != nil {
		return err
	}
	weights, _, err := safetensors.Decode(files[name+".safetensors"])
	if err != nil {
		return unreadable(name+".safetensors", err)
	}
	model, err := network.NewModel(n.Card.Config.Settings(), data, network.ModelOptions{})
	if err != nil {
		return unreadable(name+".card.json", err)
	}
	if err := model.ImportTensors(name+".safetensors", weights); err != nil {
		return unreadable(name+".safetensors", err)
	}
	return e.add(n, model)
}

// unreadable returns the error of a file that has its checksum and still can't be used.
func unreadable(file string, err error) error {
	return fmt.Errorf("explorer: networks/%s: %w: restore it, or run go run ./tools/explorer", file, err)
}

// readTests reads the cells of a network.
func readTests(files map[string][]byte, name string) (cells score.Cells, err error) {
	if err := json.Unmarshal(files[name+".cells.json"], &cells); err != nil {
		return nil, unreadable(name+".cells.json", err)
	}
	return cells, nil
}

// readShipped reads all files of the networks and compares them with SHA256SUMS.
func readShipped() (map[string][]byte, error) {
	list, err := shipped.ReadFile("networks/SHA256SUMS")
	if err != nil {
		return nil, fmt.Errorf("explorer: %w", err)
	}
	files := map[string][]byte{}
	for line := range strings.Lines(string(list)) {
		want, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		data, err := shipped.ReadFile("networks/" + name)
		if err != nil {
			return nil, fmt.Errorf("explorer: %w", err)
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != want {
			return nil, fmt.Errorf("explorer: networks/%s has the SHA-256 %x, the list says %s: restore it, or run go run ./tools/explorer", name, sum[:6], want)
		}
		files[name] = data
	}
	return files, nil
}

// Unpack writes the networks to a folder, from where nbbnn.Import and `nbbnn weights import` take them.
func Unpack(directory string) error {
	all, err := readShipped()
	if err != nil {
		return err
	}
	for name, data := range all {
		if err := files.WriteBytes(filepath.Join(directory, name), data); err != nil {
			return fmt.Errorf("explorer: %w: choose a folder that exists and can be written to", err)
		}
	}
	return nil
}
