package sweep

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// tinyConfig trains in a moment.
func tinyConfig() nbbnn.Config {
	return nbbnn.Config{
		Network:   nbbnn.Network{Width: 2},
		Data:      nbbnn.Data{Train: 32, Test: 16},
		Posterior: nbbnn.Posterior{InitStd: 0.32},
		Training:  nbbnn.Training{Epochs: 2, Batch: 8, Samples: 1},
	}
}

// tinyEvaluation tests in a moment.
var tinyEvaluation = nbbnn.Evaluation{Suite: "fog", Samples: 2, Images: 4}

// product is gamma 0 and 2 with the seeds 1 to 3.
func product() (configs []nbbnn.Config) {
	for seed := range uint64(3) {
		for _, gamma := range []float64{0, 2} {
			config := tinyConfig()
			config.Seed, config.Objective.Gamma = seed+1, gamma
			configs = append(configs, config)
		}
	}
	return configs
}

func planned(t *testing.T, configs []nbbnn.Config) *Manifest {
	t.Helper()
	return testkit.Must(New(configs, &tinyEvaluation))(t)
}

func written(t *testing.T, m *Manifest) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "m.json")
	testkit.NoError(t, m.Write(path))
	return path
}

func TestManifestIsReadAsItWasWritten(t *testing.T) {
	configs := product()
	configs = append(configs, configs[0])
	last := len(configs) - 1
	// zeros are set, too
	configs[last].Objective.Gamma, configs[last].Seed, configs[last].Training.NoAugmentation = 0, 0,
		true
	read := testkit.Must(Read(written(t, planned(t, configs))))(t)
	if len(read.Points) != len(configs) || *read.Evaluation != tinyEvaluation {
		t.Errorf("%d points tested by %+v, want %d and %+v", len(read.Points), read.Evaluation,
			len(configs), tinyEvaluation)
	}
	for i, config := range configs {
		got, err := read.config(i)
		if err != nil || got != config.WithDefaults() {
			t.Errorf("point %d is %+v (%v), want %+v", i, got, err, config.WithDefaults())
		}
		if got.RunName() != read.RunName(i) {
			t.Errorf("point %d has the run %s, want %s", i, read.RunName(i), got.RunName())
		}
	}
	first, _ := read.config(1)
	if got, want := read.Name(first), "gamma 2, seed 1"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	ordinary := configs[0]
	ordinary.Method.Name, ordinary.Posterior = baseline.MAP, nbbnn.Posterior{}
	mixed := testkit.Must(New([]nbbnn.Config{first, configs[0], ordinary}, nil))(t)
	if got, want := mixed.Name(first), "node-BNN, gamma 2"; !strings.HasPrefix(got, want) ||
		strings.Contains(got, "mode") {
		t.Errorf("beside MAP the name is %q, want one from %q on, as in a comparison", got, want)
	}
}

func TestPlanIsRefused(t *testing.T) {
	bad := tinyConfig()
	bad.Training.Batch = 1000
	many := tinyEvaluation
	many.Images = 17
	for name, c := range map[string]struct {
		configs    []nbbnn.Config
		evaluation nbbnn.Evaluation
		want       string
	}{
		"none": {nil, tinyEvaluation, "one point or more"},
		"twice": {append(product(), product()[2]), tinyEvaluation,
			"points 2 and 6 have the same configuration"},
		"no batch":   {[]nbbnn.Config{tinyConfig(), bad}, tinyEvaluation, "(point 1)"},
		"images":     {product(), many, "17 test images are asked for, shapes10 has 16"},
		"corruption": {product(), nbbnn.Evaluation{Suite: "fogg"}, "fogg"},
	} {
		if _, err := New(c.configs, &c.evaluation); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

// A manifest that isn't as it was planned is refused with the cure, in one line.
func TestChangedManifestIsRefused(t *testing.T) {
	for name, c := range map[string]struct {
		change func(string) string // of the file
		object string              // that is sealed in its place
		want   string
	}{
		"edited": {func(s string) string {
			return strings.Replace(s, `"gamma":2`, `"gamma":3`, 1)
		}, "", "edited or damaged after planning: its checksum differs: restore it"},
		"cut": {func(s string) string {
			return s[:len(s)/2]
		}, "", "its checksum differs"},
		"no manifest": {func(string) string {
			return "{}"
		}, "", "is no manifest of this version"},
		"empty": {func(string) string { return "" }, "", "is no manifest of this version"},
		"newer setting": {nil, `{"points":[{"run":"x","config":{"depth":9}}]}`,
			`unknown key "/points/0/config/depth"`},
		"no points": {nil, `{"points":[]}`, "it has no points"},
	} {
		path := written(t, planned(t, product()))
		if c.change == nil {
			testkit.NoError(t, files.WriteSealed(path, "", json.RawMessage(c.object)))
		} else {
			data := testkit.Must(os.ReadFile(path))(t)
			testkit.NoError(t, os.WriteFile(path, []byte(c.change(string(data))), 0o644))
		}
		_, err := Read(path)
		if !errors.Is(err, ErrNever) || !strings.Contains(err.Error(), c.want) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: error %v, want one line with %q that wraps ErrNever", name, err, c.want)
		}
	}
}

// Defaults that changed since the planning don't train another run silently.
func TestPointOfAnotherVersionIsRefused(t *testing.T) {
	m := planned(t, product())
	m.Points[1].Run = m.Points[0].Run
	if _, err := m.config(1); !errors.Is(err, ErrNever) ||
		!strings.Contains(err.Error(), "plan again") {
		t.Errorf("error %v, want one that says to plan again and wraps ErrNever", err)
	}
	for _, index := range []int{-1, 6} {
		if _, err := m.config(index); !errors.Is(err, ErrNever) ||
			!strings.Contains(err.Error(), "6 points are 0 to 5") {
			t.Errorf("index %d: error %v, want one that wraps ErrNever", index, err)
		}
	}
}

func TestManifestIsNotOverwritten(t *testing.T) {
	path := written(t, planned(t, product()))
	before := testkit.Must(os.ReadFile(path))(t)
	if err := planned(t, product()).Write(path); err != nil {
		t.Errorf("the same plan again: %v", err)
	}
	if err := planned(t, product()[:2]).Write(path); err == nil {
		t.Error("another plan overwrote it")
	}
	for _, place := range []string{filepath.Dir(path), filepath.Join(path, "m.json")} {
		err := planned(t, product()).Write(place)
		if err == nil || !strings.Contains(err.Error(), "directory: choose another name") ||
			errors.Is(err, ErrNever) {
			t.Errorf("at %s: error %v, want the system's", place, err)
		}
	}
	if after, err := os.ReadFile(path); err != nil || string(after) != string(before) {
		t.Errorf("the file changed (%v)", err)
	}
}

func TestIndexOfSchedulers(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		want        int
		error       string
	}{
		{map[string]string{"SLURM_ARRAY_TASK_ID": "0"}, 0, ""},
		{map[string]string{"SLURM_ARRAY_TASK_ID": "7", "HQ_TASK_ID": "3"}, 3, ""},
		{map[string]string{"JOB_COMPLETION_INDEX": "5"}, 5, ""},
		{map[string]string{"PARALLEL_SEQ": "1", "SLURM_ARRAY_TASK_ID": "7"}, 0, ""},
		{map[string]string{"PARALLEL_SEQ": "0"}, 0, "not an index from 1"},
		{map[string]string{"HQ_TASK_ID": "-1"}, 0, "not an index from 0"},
		{map[string]string{"HQ_TASK_ID": "1-3"}, 0, "not an index"},
		{map[string]string{"HQ_TASK_ID": ""}, 0, "no index is given"},
	} {
		got, _, err := Index(func(name string) (string, bool) {
			text, found := c.environment[name]
			return text, found
		})
		if c.error == "" && (err != nil || got != c.want) {
			t.Errorf("%v: %d (%v), want %d", c.environment, got, err, c.want)
		}
		if c.error != "" && (!errors.Is(err, ErrNever) || !strings.Contains(err.Error(), c.error)) {
			t.Errorf("%v: error %v, want one with %q that wraps ErrNever", c.environment, err,
				c.error)
		}
	}
}

func TestChunksCoverEveryPointOnce(t *testing.T) {
	m := planned(t, product())
	for size := 1; size < 8; size++ {
		var all []int
		for task := range m.Tasks(size) {
			points := testkit.Must(m.Chunk(task, size))(t)
			all = append(all, points...)
		}
		for i, point := range all {
			if i != point || len(all) != len(m.Points) {
				t.Errorf("chunks of %d: %v", size, all)
			}
		}
		if _, err := m.Chunk(m.Tasks(size), size); !errors.Is(err, ErrNever) {
			t.Errorf("chunks of %d: the task after the last: error %v, want one that wraps "+
				"ErrNever", size, err)
		}
	}
}
