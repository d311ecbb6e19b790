package nbbnn

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/nearest"
	"github.com/nbbnn/workbench/internal/records"
)

// ReadConfig reads a configuration from a JSON file. It's strict: a key that no field has is an
// error with the nearest name. Keys that are left out keep their zero value. The network and the
// method may be undefined here, so that the results of their runs can be read: Config.Validate
// reports that.
func ReadConfig(path string) (Config, error) {
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Config{}, fmt.Errorf("nbbnn: %w: name an existing file, for example a run's "+
			"config.json", err)
	}
	if err == nil && info.Size() > longestConfig {
		return Config{}, fmt.Errorf("nbbnn: %s has %d bytes, a configuration has at most %d: "+
			"name another file",
			path, info.Size(), longestConfig)
	}
	data, err := files.ReadFile(path)
	if err != nil {
		return Config{}, unreadable(err)
	}
	restoreGraphs(filepath.Dir(path))
	return parseConfig(path, data)
}

// longestConfig is far more than the bytes of any configuration.
const longestConfig = 1 << 20

// parseConfig reads a configuration from JSON; name is the name of the text in errors.
func parseConfig(name string, data []byte) (Config, error) {
	var config Config
	err := files.ParseJSON(data, &config)
	if unknown, is := errors.AsType[files.UnknownKeyError](err); is {
		last := len(unknown) - 1
		return Config{}, fmt.Errorf("nbbnn: %s has an unknown key %q%s: correct or remove "+
			"the key, take a run's config.json, or update this program if a newer version wrote it",
			name, strings.Join(unknown, "."), nearest.Hint(unknown[last], keysIn(unknown[:last])))
	}
	if err != nil {
		return Config{}, fmt.Errorf("nbbnn: %s is no configuration: %w: correct it, or put a "+
			"copy in its place", name, err)
	}
	if err := config.Validate(); err != nil && !config.isUndefined() {
		return Config{}, fmt.Errorf("%w (in %s)", err, name)
	}
	return config, nil
}

// keysIn lists the keys in a section of a configuration.
func keysIn(section []string) (keys []string) {
	for _, f := range allFields {
		if depth := len(section); len(f.Keys) > depth && slices.Equal(f.Keys[:depth], section) {
			keys = append(keys, f.Keys[depth])
		}
	}
	return keys
}

// isUndefined reports whether another program defines the network or the method.
func (c Config) isUndefined() bool { return c.WithDefaults().undefined() != nil }

// undefined returns an error unless this program can train a filled configuration.
func (c Config) undefined() error {
	if err := cmp.Or(c.Network.Undefined(), methods.Undefined(c.Method)); err != nil ||
		!methods.IsLoop(c.Method) {
		return err
	}
	return fmt.Errorf("nbbnn: method %s is a loop of its program: run that program, whose call "+
		"of nbbnn.Keep makes the run", c.Method.Name)
}

// isWrittenAs reports whether a file of the configuration has this text. That is faster to see than
// to read it.
func (c Config) isWrittenAs(data []byte) bool {
	var written bytes.Buffer
	return files.WriteJSON(&written, c) == nil && bytes.Equal(data, written.Bytes())
}

// Hash returns the SHA-256, in hexadecimal, of the filled configuration: of its JSON without
// spaces, with the keys in the order of the fields. It names a run's directory.
func (c Config) Hash() string {
	data, err := json.Marshal(c.WithDefaults())
	if err != nil {
		return "" // only for numbers that Validate refuses
	}
	return records.Digest(data)
}

// RunName returns the name of the run's directory: the beginning of Hash.
func (c Config) RunName() string { return records.Short(c.Hash()) }
