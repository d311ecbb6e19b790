package paper

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/nbbnn"
)

// Speed is how fast this machine trains, from trial steps of one network.
type Speed struct {
	Operations float64 `json:"operations"`   // floating-point operations a second
	Memory     float64 `json:"memory_bytes"` // that the network takes to train; 0 if unknown
	Measured   string  `json:"measured"`     // when, RFC 3339
}

// seconds is about how long operations take; 0 if the speed is unknown.
func (s Speed) seconds(operations float64) float64 {
	if s.Operations <= 0 {
		return 0
	}
	return operations / s.Operations
}

// Duration is about how long operations take; 0 if the speed is unknown.
func (s Speed) Duration(operations float64) time.Duration { return duration(s.seconds(operations)) }

// duration is a number of seconds, at most the 292 years that a duration can hold.
func duration(seconds float64) time.Duration {
	if seconds >= time.Duration(math.MaxInt64).Seconds() {
		return math.MaxInt64
	}
	return time.Duration(seconds * float64(time.Second))
}

// speedFile keeps the speeds that were measured on this machine. All plans take them from there, so
// that they agree with each other whatever else the machine is doing.
type speedFile struct {
	path    string // "" keeps nothing
	measure bool   // again, also what is kept
}

// speeds returns the file that options name.
func (o Options) speeds() speedFile {
	path := o.Speeds
	if path == "" {
		if folder, err := os.UserCacheDir(); err == nil {
			path = filepath.Join(folder, "nbbnn", "speed.json")
		}
	}
	return speedFile{path, o.Measure}
}

// of returns the speed of a network, which it measures in about a second unless the file has it.
func (f speedFile) of(ctx context.Context, config nbbnn.Config) (Speed, error) {
	key, err := speedKey(config)
	if err != nil {
		return Speed{}, err
	}
	if speed, found := f.read()[key]; found && !f.measure {
		return speed, nil
	}
	speed, err := measureSpeed(ctx, config)
	if err != nil {
		return Speed{}, err
	}
	if f.path != "" {
		_ = f.keep(key, speed) // measured again next time
	}
	return speed, nil
}

// keep adds a speed to those that the file has. If another process adds one at the same moment, one of
// the two is measured again.
func (f speedFile) keep(key string, speed Speed) error {
	if err := os.MkdirAll(filepath.Dir(f.path), 0o755); err != nil {
		return err
	}
	kept := f.read()
	kept[key] = speed
	return files.Write(f.path, func(w io.Writer) error { return files.WriteJSON(w, kept) })
}

// read returns what the file has; nothing if it can't be read.
func (f speedFile) read() map[string]Speed {
	kept := map[string]Speed{}
	if data, err := os.ReadFile(f.path); err == nil && json.Unmarshal(data, &kept) != nil {
		return map[string]Speed{}
	}
	return kept
}

// speedKey names what a speed depends on: the machine, the engine, the network and its images.
func speedKey(config nbbnn.Config) (string, error) {
	opened, err := engine.Open()
	if err != nil {
		return "", err
	}
	m := machine.Describe()
	return fmt.Sprintf("%s %s, %d cores, %s: %s %s, width %d, %d pixels, %d images x %d samples", m.Model, m.Instructions, m.Cores, opened.Name,
		config.Network.Name, config.Network.Precision, config.Network.Width, dataSize(config).Side, config.Training.Batch, config.Training.Samples), nil
}

// measureSpeed makes trial steps of a configuration, about a second of them.
func measureSpeed(ctx context.Context, config nbbnn.Config) (Speed, error) {
	cost, err := nbbnn.EstimateTraining(ctx, config)
	if err != nil {
		return Speed{}, err
	}
	operations := trainingOperations(config) / float64(steps(config))
	return Speed{
		Operations: operations / cost.StepSeconds, Memory: cost.Memory, Measured: time.Now().UTC().Format(time.RFC3339),
	}, nil
}
