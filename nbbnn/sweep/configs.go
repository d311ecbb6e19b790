package sweep

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

// ReadConfigs reads a JSON array of configurations. Keys that are left out keep their zero value;
// an unknown key is an error.
func ReadConfigs(path string) ([]nbbnn.Config, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("sweep: %w: give the JSON file of an array of configurations", err)
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(data, &texts); err != nil {
		return nil, never{fmt.Errorf("sweep: %s is no array of configurations: %w; put [ ] around them", path, err)}
	}
	configs := make([]nbbnn.Config, len(texts))
	for i, text := range texts {
		if err := files.ParseJSON(text, &configs[i]); err != nil {
			return nil, never{fmt.Errorf("sweep: configuration %d of %s can't be read: %w", i, path, err)}
		}
	}
	return configs, nil
}
