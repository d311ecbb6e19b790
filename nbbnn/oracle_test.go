package nbbnn

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// oracle reads one value of the numeric oracles, by the path of keys that leads to it.
// NBBNN_ORACLES names another file than testdata/oracles.json.
func oracle[T any](t testing.TB, keys ...string) T {
	t.Helper()
	path := "testdata/oracles.json"
	if other := os.Getenv("NBBNN_ORACLES"); other != "" {
		path = other
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, key := range keys {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			t.Fatalf("%s, %s: %v", path, strings.Join(keys[:i], "."), err)
		}
		if data = object[key]; data == nil {
			t.Fatalf("%s has no %s", path, strings.Join(keys[:i+1], "."))
		}
	}
	var value T
	if err := json.Unmarshal(data, &value); err != nil {
		t.Fatalf("%s, %s: %v", path, strings.Join(keys, "."), err)
	}
	return value
}
