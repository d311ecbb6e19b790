package nbbnn

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// referenceAnswer is what testdata/reference_layout.py says of one network: log-probabilities of
// two images.
type referenceAnswer struct {
	Mode       Mode        `json:"mode"`
	Components int         `json:"components"`
	Width      int         `json:"width"`
	PriorStd   float64     `json:"prior_std"`
	Ones       [][]float64 `json:"ones"`
	Mean       [][]float64 `json:"mean"`
}

func referenceAnswers(t *testing.T) map[string]referenceAnswer {
	t.Helper()
	data := testkit.Must(os.ReadFile("testdata/reference-answers.json"))(t)
	answers := map[string]referenceAnswer{}
	testkit.NoError(t, json.Unmarshal(data, &answers))
	return answers
}

// config is that of the network, on a data set that needs no file.
func (a referenceAnswer) config(name string) Config {
	return Config{
		Network:   Network{Name: name, Width: a.Width, Form: network.Published},
		Data:      Data{Name: dataset.Shapes10, Train: 8, Test: 4},
		Posterior: Posterior{Components: a.Components, Mode: a.Mode, InitStd: a.PriorStd},
		Training:  Training{Epochs: 1, Batch: 8},
	}
}

func referenceFile(name string) string { return "testdata/reference-" + name + ".safetensors" }

// referenceImages are the two images of the script.
func referenceImages() dataset.Images {
	const side = 32
	images := dataset.Images{Height: side, Width: side, Pixels: make([]uint8, 2*side*side*3),
		Labels: make([]uint8, 2)}
	for i := range images.Pixels {
		images.Pixels[i] = uint8((i*7919 + i/97*13) % 256)
	}
	return images
}

// An imported network answers what PyTorch answers with the same weights, in every mode and
// architecture.
func TestImportAgreesWithPyTorch(t *testing.T) {
	for name, answer := range referenceAnswers(t) {
		t.Run(name, func(t *testing.T) {
			run := testkit.Must(Import(t.Context(), t.TempDir(), answer.config(name),
				referenceFile(name)))(t)
			for latents, want := range map[network.Latents][][]float64{OneLatents: answer.Ones,
				MeanLatents: answer.Mean} {
				n := testkit.Must(run.Model(t.Context()))(t)
				n.Mean, n.Std = [3]float64{0.4914, 0.4822, 0.4465},
					[3]float64{0.2470, 0.2435, 0.2616}
				near(t, "log-probabilities with latents "+string(latents),
					predictTest(t, n.With(latents, 1, 0), referenceImages()), want, 1e-5)
			}
			if card, err := run.Card(); err != nil || !run.Complete() ||
				!strings.HasPrefix(card.Engine, "imported from reference-") {
				t.Errorf("the card says %q, complete %v, error %v", card.Engine, run.Complete(),
					err)
			}
			testkit.Must(run.Evaluate(t.Context(), Evaluation{Samples: 2, Suite: "first8",
				Images: 1}, nil))(t)
		})
	}
}

// What is imported is exported as it was, in the layout of the published code, and comes back from
// either layout.
func TestExportReturnsWhatWasImported(t *testing.T) {
	for name, answer := range referenceAnswers(t) {
		t.Run(name, func(t *testing.T) {
			run := testkit.Must(Import(t.Context(), t.TempDir(), answer.config(name),
				referenceFile(name)))(t)
			card := testkit.Must(run.Card())(t)
			for _, layout := range []network.Layout{network.WorkbenchLayout,
				network.ReferenceLayout} {
				path := filepath.Join(t.TempDir(), "weights.safetensors")
				testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{Layout: layout}))
				if exported, _, err := safetensors.Read(path); err != nil ||
					layout == network.WorkbenchLayout &&
						safetensors.SHA256(exported) != card.WeightsSHA256 {
					t.Errorf("the weights of the file are %s (%v), want %s",
						safetensors.SHA256(exported), err, card.WeightsSHA256)
				}
				config, hash, err := ReadExportedConfig(path)
				if err != nil || hash != run.hash() || config != run.Config() {
					t.Errorf("%s: the file holds the configuration %+v (%v, %v)", layout, config,
						hash, err)
				}
				again := testkit.Must(Import(t.Context(), t.TempDir(), config, path))(t)
				if other, err := again.Card(); err != nil ||
					other.WeightsSHA256 != card.WeightsSHA256 {
					t.Errorf("%s: the weights come back as %s (%v), want %s", layout,
						other.WeightsSHA256, err, card.WeightsSHA256)
				}
				if layout == network.ReferenceLayout {
					compareFiles(t, path, referenceFile(name))
				}
			}
		})
	}
}

// compareFiles wants the same tensors in both files, with the same bytes, but for the counts of
// batches that we don't keep.
func compareFiles(t *testing.T, gotPath, wantPath string) {
	t.Helper()
	got, _, err := safetensors.Read(gotPath)
	testkit.NoError(t, err)
	want, _, err := safetensors.Read(wantPath)
	testkit.NoError(t, err)
	values, names := map[string]safetensors.Tensor{}, map[string]bool{}
	for _, tensor := range want {
		values[tensor.Name] = tensor
	}
	for _, tensor := range got {
		names[tensor.Name] = true
		w := values[tensor.Name]
		if !slices.Equal(tensor.Shape, w.Shape) || !bytes.Equal(tensor.Data, w.Data) {
			t.Errorf("%s has shape %v, want %v and the same values", tensor.Name, tensor.Shape,
				w.Shape)
		}
	}
	for _, tensor := range want {
		if !names[tensor.Name] && !strings.HasSuffix(tensor.Name, ".num_batches_tracked") {
			t.Errorf("%s isn't exported", tensor.Name)
		}
	}
}

// A folded network isn't the baseline that its configuration names: it was never trained so.
func TestImportRefusesFoldedNetworks(t *testing.T) {
	answer := referenceAnswers(t)["resnet18"]
	run := testkit.Must(Import(t.Context(), t.TempDir(), answer.config("resnet18"),
		referenceFile("resnet18")))(t)
	for _, latents := range []network.Latents{OneLatents, MeanLatents} {
		path := filepath.Join(t.TempDir(), "folded.safetensors")
		testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{Latents: latents}))
		_, metadata, err := safetensors.Read(path)
		if err != nil || metadata["latents"] != string(latents) || metadata["run"] != run.hash() {
			t.Errorf("metadata is %v (%v), want latents %s of run %s", metadata, err, latents,
				run.hash())
		}
		config, hash, err := ReadExportedConfig(path)
		if err != nil || hash != run.hash() {
			t.Fatalf("no configuration of run %q: %v", hash, err)
		}
		_, err = Import(t.Context(), t.TempDir(), config, path)
		checkError(t, string(latents), err, "run "+run.hash()[:12]+" with its latents fixed at "+
			string(latents))
	}
}

// In the layout of the published code a folded network has the names and the axes of its state
// dictionary; with all latents one it's the network without the posterior.
func TestFoldedNetworkInReferenceLayout(t *testing.T) {
	config := referenceAnswers(t)["resnet18"].config("resnet18")
	run := testkit.Must(Import(t.Context(), t.TempDir(), config, referenceFile("resnet18")))(t)
	card := testkit.Must(run.Card())(t)
	equal(t, "notes on the normalisation", strings.Count(strings.Join(card.Notes, "; "),
		"with the normalisation of shapes10"), 1)
	path := filepath.Join(t.TempDir(), "folded.safetensors")
	testkit.NoError(t, run.Export(t.Context(), path, ExportOptions{
		Layout: network.ReferenceLayout, Latents: OneLatents}))
	folded, _, err := safetensors.Read(path)
	testkit.NoError(t, err)
	theirs, _, err := safetensors.Read(referenceFile("resnet18"))
	testkit.NoError(t, err)
	values := map[string]safetensors.Tensor{}
	for _, tensor := range theirs {
		values[tensor.Name] = tensor
	}
	for _, tensor := range folded {
		if want := values[tensor.Name]; !slices.Equal(tensor.Shape, want.Shape) ||
			!bytes.Equal(tensor.Data, want.Data) {
			t.Errorf("%s has shape %v, want %v and the same values", tensor.Name, tensor.Shape,
				want.Shape)
		}
	}
	if len(folded) == 0 {
		t.Error("the file is empty")
	}
}

// An export that can't be written names the folder and what to do.
func TestUnwritableExport(t *testing.T) {
	config := referenceAnswers(t)["resnet18"].config("resnet18")
	run := testkit.Must(Import(t.Context(), t.TempDir(), config, referenceFile("resnet18")))(t)
	folder := filepath.Join(t.TempDir(), "missing")
	path, want := filepath.Join(folder, "a.safetensors"), "make the folder "+folder+" writable"
	checkError(t, "export", run.Export(t.Context(), path, ExportOptions{}), want)
	checkError(t, "folded export", run.Export(t.Context(), path,
		ExportOptions{Latents: OneLatents}),
		want)
}

// divergedFile is a copy of the weights of ResNet18 with one that is no number.
func divergedFile(t *testing.T) string {
	t.Helper()
	tensors, metadata, err := safetensors.Read(referenceFile("resnet18"))
	testkit.NoError(t, err)
	for _, tensor := range tensors {
		if tensor.Name == "conv1.weight" {
			binary.LittleEndian.PutUint32(tensor.Data, math.Float32bits(float32(math.NaN())))
		}
	}
	path := filepath.Join(t.TempDir(), "diverged.safetensors")
	testkit.NoError(t, safetensors.Write(path, tensors, metadata))
	return path
}

// An import whose files can't be written leaves no weights and can be repeated, as can one that was
// killed before config.json, before the checkpoint or before the card.
func TestFailedImportIsRepeated(t *testing.T) {
	config := referenceAnswers(t)["resnet18"].config("resnet18")
	stored, _, err := readExport(referenceFile("resnet18"))
	testkit.NoError(t, err)
	config.Imported = safetensors.SHA256(stored)
	for _, c := range []struct {
		name string
		fail func(t *testing.T, r *Run)
	}{
		{"no checkpoint", func(t *testing.T, r *Run) {
			trainer := testkit.Must(readImport(t.Context(), r, referenceFile("resnet18"), stored))(
				t)
			trainer.abandoned, trainer.kept = true,
				[]safetensors.Tensor{{Name: "weights", DType: "F33"}}
			if err := writeImport(r, trainer); err == nil {
				t.Fatal("a tensor of an unknown type is written")
			}
		}},
		{"no card", func(t *testing.T, r *Run) {
			damaged := writeFile(r.history().path, func(w io.Writer) error {
				_, err := io.WriteString(w, "x\n")
				return err
			})
			if damaged != nil {
				t.Fatal(damaged)
			}
			refused(t, "a card with a damaged history is written",
				"")(Import(t.Context(), filepath.Dir(r.directory), config,
				referenceFile("resnet18")))
			testkit.NoError(t, os.Remove(r.history().path))
		}},
		{"killed before config.json", func(t *testing.T, r *Run) {
			testkit.NoError(t, os.MkdirAll(r.directory, 0o755))
		}},
		{"killed before the card", func(t *testing.T, r *Run) {
			testkit.Must(Import(t.Context(), filepath.Dir(r.directory), config,
				referenceFile("resnet18")))(t)
			testkit.NoError(t, os.Remove(r.path("card.json")))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			run := openRun(t, filepath.Join(t.TempDir(), "runs"), config)
			c.fail(t, run)
			if run.Complete() {
				t.Error("the run is complete")
			}
			testkit.Must(Import(t.Context(), filepath.Dir(run.directory), config,
				referenceFile("resnet18")))(t)
			if !run.Complete() || !exists(run.path("config.json")) {
				t.Error("the run isn't complete after the second import")
			}
		})
	}
}

func TestImportRefuses(t *testing.T) {
	answer := referenceAnswers(t)["resnet18"]
	truncated := filepath.Join(t.TempDir(), "truncated.safetensors")
	data := testkit.Must(os.ReadFile(referenceFile("resnet18")))(t)
	testkit.NoError(t, os.WriteFile(truncated, data[:len(data)-100], 0o644))
	for _, c := range []struct {
		name, file string
		change     func(c *Config)
		want       string
	}{
		{"another architecture", referenceFile("resnet18"), func(c *Config) {
			c.Network.Name = "preactresnet18"
		}, "has no tensor layer2.0.shortcut.0.weight [4 2 1 1]"},
		{"another width", referenceFile("resnet18"), func(c *Config) {
			c.Network.Width = 3
		}, "conv1.weight of type F32 and shape [2 3 3 3], want F32 and [3 3 3 3]"},
		{"fewer components", referenceFile("resnet18"), func(c *Config) {
			c.Posterior.Components = 1
		}, "posterior_U_mean of type F32 and shape [2 2 1 1], want F32 and [1 2 1 1]"},
		{"another prior", referenceFile("resnet18"), func(c *Config) {
			c.Posterior.PriorStd = 0.4
		}, "prior_std 0.3"},
		{"without latents", referenceFile("resnet18"), func(c *Config) {
			c.Posterior = Posterior{Mode: Deterministic}
		}, "which resnet18 in mode none hasn't"},
		{"truncated", truncated, func(*Config) {}, "truncated.safetensors"},
		{"diverged", divergedFile(t), func(*Config) {}, "conv1.weight with an infinity or NaN"},
		{"missing", "nothing.safetensors", func(*Config) {}, "nothing.safetensors"},
	} {
		t.Run(c.name, func(t *testing.T) {
			config := answer.config("resnet18")
			c.change(&config)
			runs := filepath.Join(t.TempDir(), "runs")
			run, err := Import(t.Context(), runs, config, c.file)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want one with %q", err, c.want)
			}
			if run != nil {
				t.Errorf("it returns the run %s", run.Directory())
			}
			if exists(runs) {
				t.Errorf("%s is left behind", runs)
			}
		})
	}
	directory := t.TempDir()
	trained, path := trainedRun(t, directory, ordinaryConfig()),
		filepath.Join(t.TempDir(), "own.safetensors")
	testkit.NoError(t, trained.Export(t.Context(), path, inReference))
	testkit.Must(Import(t.Context(), directory, trained.Config(), path))(t)
	stored, _, err := readExport(path)
	testkit.NoError(t, err)
	stored[0].Data[0]++ // weights of the same training on another machine
	testkit.NoError(t, writeExport(path, stored, trained.Config(), map[string]string{}))
	refused(t, "Import", "has weights already")(Import(t.Context(), directory, trained.Config(),
		path))
}

// The weights of a seed aren't another seed's, nor trained for longer than they were.
func TestExportKeepsItsConfiguration(t *testing.T) {
	run, path := trainedRun(t, t.TempDir(), ordinaryConfig()),
		filepath.Join(t.TempDir(), "own.safetensors")
	testkit.NoError(t, run.Export(t.Context(), path, inReference))
	for want, change := range map[string]func(c *Config){
		"own.safetensors were trained with seed 5, not 7": func(c *Config) { c.Seed = 7 },
		"epochs 4, not 99; learning rate 0.01, not 0.7": func(c *Config) {
			c.Training.Epochs, c.Training.LearningRate = 99, 0.7
		},
		"width 2, not 8": func(c *Config) { c.Network.Width = 8 },
	} {
		config := run.Config()
		change(&config)
		refused(t, want, want)(Import(t.Context(), t.TempDir(), config, path))
	}
}

// Two files without a configuration are two runs, and the same file is the same run.
func TestImportTellsFilesApart(t *testing.T) {
	directory, config := t.TempDir(), referenceAnswers(t)["resnet18"].config("resnet18")
	first := testkit.Must(Import(t.Context(), directory, config, referenceFile("resnet18")))(t)
	again := testkit.Must(Import(t.Context(), directory, config, referenceFile("resnet18")))(t)
	stored, _, err := readExport(referenceFile("resnet18"))
	testkit.NoError(t, err)
	clear(stored[0].Data)
	path := filepath.Join(t.TempDir(), "other.safetensors")
	testkit.NoError(t, safetensors.Write(path, stored,
		map[string]string{"config": "of another program"}))
	other := testkit.Must(Import(t.Context(), directory, config, path))(t)
	if again.Directory() != first.Directory() || other.Directory() == first.Directory() {
		t.Errorf("the file is the run %s and then %s, another file %s", first.Directory(),
			again.Directory(), other.Directory())
	}
}

// The file of a network without latents names the mode that takes it, in either layout, and that
// mode does.
func TestImportOfAnOrdinaryNetworkNamesItsMode(t *testing.T) {
	parent := trainedRun(t, t.TempDir(), ordinaryConfig())
	config := ordinaryConfig()
	config.Method = Method{}
	config.Posterior = Posterior{Mode: network.Output, Components: 2}
	for _, layout := range []network.Layout{network.WorkbenchLayout, network.ReferenceLayout} {
		path := filepath.Join(t.TempDir(), "ordinary.safetensors")
		testkit.NoError(t, parent.Export(t.Context(), path, ExportOptions{Layout: layout}))
		stored, _, err := readExport(path)
		testkit.NoError(t, err)
		testkit.NoError(t, safetensors.Write(path, stored, nil))
		const want = "it holds a network without latents: give --mode none to import it as one"
		refused(t, "Import", want)(Import(t.Context(), t.TempDir(), config, path))
		testkit.Must(Import(t.Context(), t.TempDir(), ordinaryConfig(), path))(t)
	}
}

// ImageFolder of torchvision sorts numbers as texts.
func TestOrderOfNumberedClassesIsNoted(t *testing.T) {
	if notes := orderNote([]string{"0", "1", "2", "10"}); len(notes) != 1 ||
		!strings.Contains(notes[0], "ImageFolder has 0, 1, 10") {
		t.Errorf("notes are %q, want one of 0, 1, 10", notes)
	}
	if notes := orderNote([]string{"9", "10"}); len(notes) != 1 ||
		!strings.Contains(notes[0], "ImageFolder has 10, 9:") {
		t.Errorf("notes are %q, want one of 10, 9", notes)
	}
	for _, classes := range [][]string{{"0", "1", "10", "2"}, {"0", "1"}, {"wren", "robin"}} {
		if notes := orderNote(classes); len(notes) > 0 {
			t.Errorf("notes of %v are %q, want none", classes, notes)
		}
	}
}

// Weights in float64 are read as float32, as safetensors.TestFloat32 converts them.
func TestWeightsAreReadAsFloat32(t *testing.T) {
	path := filepath.Join(t.TempDir(), "double.safetensors")
	double := safetensors.Tensor{Name: "a", DType: "F64", Shape: []int{1}, Data: make([]byte, 8)}
	testkit.NoError(t, safetensors.Write(path, []safetensors.Tensor{double}, nil))
	if stored, _, err := readExport(path); err != nil || stored[0].DType != "F32" {
		t.Errorf("%+v (%v), want float32", stored, err)
	}
}

// A variable that isn't finite is in no checkpoint, also if the loss was finite: neither the latest
// nor one that is kept.
func TestNoCheckpointHoldsAnInfinity(t *testing.T) {
	config := referenceAnswers(t)["resnet18"].config("resnet18")
	for _, value := range []float64{math.Inf(1), math.Inf(-1), math.NaN()} {
		run := openRun(t, t.TempDir(), config)
		stored, _, err := readExport(referenceFile("resnet18"))
		testkit.NoError(t, err)
		trainer := testkit.Must(readImport(t.Context(), run, referenceFile("resnet18"), stored))(t)
		broken := network.Tensor{Name: "conv1/weights", DType: "F32", Shape: []int{2},
			Data: make([]byte, 8)}
		binary.LittleEndian.PutUint32(broken.Data[4:], math.Float32bits(float32(value)))
		trainer.abandoned, trainer.kept = true, []network.Tensor{broken}
		for _, save := range []func() error{trainer.save, trainer.keepEpoch} {
			checkError(t, "save", save(), "conv1/weights isn't finite after epoch 1")
		}
		if exists(run.checkpointPath()) || exists(run.checkpoints().kept(1)) {
			t.Errorf("a checkpoint with %g is written", value)
		}
	}
}
