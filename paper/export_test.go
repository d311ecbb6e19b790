package paper

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

// An exported result has the card, epochs and cells of each run, and verdicts that name their
// weights.
func TestExport(t *testing.T) {
	options := Options{Runs: t.TempDir(), Out: t.TempDir(), Flags: []string{"--epochs", "1"}}
	result := made(t, tiny(Figure03, 1), options)
	paths := testkit.Must(export(result, options.Out))(t)
	if want := 4 + 1; len(paths) != want {
		t.Errorf("%d files are written, want %d: %v", len(paths), want, paths)
	}
	var written Report
	testkit.NoError(t, json.Unmarshal(readFile(t, filepath.Join(options.Out, "figure-03.json")),
		&written))
	if written.Flags != " --epochs 1 --seeds=1" {
		t.Errorf("the flags are %q", written.Flags)
	}
	for i, run := range written.Runs {
		var card nbbnn.Card
		testkit.NoError(t,
			readJSON(filepath.Join(options.Out, cardsFolder, run.Card+"."+run.Run+".record",
				"card.json"), &card))
		if card.StateSHA256 != run.State || card.Seed != run.Seed ||
			run.Card != []string{"m16-seed1", "m32-seed1"}[i] {
			t.Errorf("the card of %+v has the seed %d and the weights %s", run, card.Seed,
				card.StateSHA256)
		}
	}
	recorded := testkit.Must(collected(t.Context(), result.Figure, Smoke,
		Options{Runs: filepath.Join(options.Out, cardsFolder)}))(t)
	for _, metric := range reported {
		if got, want := recorded.levels("M32", metric),
			result.levels("M32", metric); !reflect.DeepEqual(got, want) {
			t.Errorf("the %s of the record is %v, that of the run %v", metric, got, want)
		}
	}
	checkStaleFiles(t, result, options.Out)
	saved := t.TempDir()
	testkit.Must(result.Save(saved))(t)
	if err := checkExport(figure06, Smoke, saved); err != nil {
		t.Errorf("a figure can't be exported beside one that was only saved: %v", err)
	}
	result.Figure.Number = 4
	_, err := export(result, options.Out)
	testkit.Error(t, t.Name(), err, "holds the result of figure 3 at the scale smoke: choose "+
		"another directory for figure 4")
}

// checkStaleFiles checks that a further export refuses other records, and keeps other files.
func checkStaleFiles(t *testing.T, result *Result, folder string) {
	t.Helper()
	stale := filepath.Join(folder, "cards/m64-seed1.9f3c2a1b44d0.record")
	kept := []string{filepath.Join(folder, remarksFile), filepath.Join(folder, "cards/notes.txt")}
	for _, path := range append(kept, stale) {
		testkit.NoError(t, os.WriteFile(path, nil, 0o644))
	}
	_, err := export(result, folder)
	testkit.Error(t, t.Name(), err, stale+" isn't of these runs")
	testkit.NoError(t, os.Remove(stale))
	testkit.Must(export(result, folder))(t)
	for _, path := range kept {
		readFile(t, path)
	}
}

// breaches lists where a JSON value breaks the names and the alternatives of a schema.
func breaches(schema map[string]any, value any, at string) (all []string) {
	if enum, has := schema["enum"].([]any); has && !slices.Contains(enum, value) {
		all = append(all, fmt.Sprintf("%s: %v isn't one of %v", at, value, enum))
	}
	list, _ := value.([]any)
	for i, item := range list {
		all = append(all, breaches(schema["items"].(map[string]any), item,
			fmt.Sprintf("%s[%d]", at, i))...)
	}
	object, _ := value.(map[string]any)
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, has := object[key.(string)]; !has {
			all = append(all, fmt.Sprintf("%s: %s is missing", at, key))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for key, item := range object {
		if property, known := properties[key].(map[string]any); known {
			all = append(all, breaches(property, item, at+"."+key)...)
		} else if schema["additionalProperties"] == false {
			all = append(all, fmt.Sprintf("%s: %s is unknown", at, key))
		}
	}
	return all
}

// The committed claims keep their schema, which refuses what isn't a claim, and are those of the
// reports.
func TestClaimsKeepTheirSchema(t *testing.T) {
	var schema map[string]any
	testkit.NoError(t, readJSON(filepath.Join(resultsFolder, "claims.schema.json"), &schema))
	var claims []any
	testkit.NoError(t, readJSON(filepath.Join(resultsFolder, claimsFile), &claims))
	if all := breaches(schema, claims, "claims"); len(all) > 0 {
		t.Errorf("%d breaches, the first: %s", len(all), all[0])
	}
	results := map[string]bool{}
	for _, claim := range claims {
		results[claim.(map[string]any)["result"].(string)] = true
	}
	for _, want := range []string{"figure-03-quick", "figure-06-desk", "beyond/latent-scale",
		"beyond/components"} {
		if !results[want] {
			t.Errorf("no claim of %s", want)
		}
	}
	first := claims[0].(map[string]any)
	first["verdict"], first["p"] = "true", 0.01
	delete(first, "claim")
	all := strings.Join(breaches(schema, claims, "claims"), "\n")
	for _, want := range []string{"true isn't one of", "claim is missing", "p is unknown"} {
		if !strings.Contains(all, want) {
			t.Errorf("a damaged claim isn't said to be damaged: want %q in %s", want, all)
		}
	}
}
