package baseline

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page on the methods has a row for each, and the file that it names is there.
func TestPageListsAllMethods(t *testing.T) {
	const root = "../.."
	page, err := os.ReadFile(filepath.Join(root, "docs", "methods.md"))
	if err != nil {
		t.Fatal(err)
	}
	var listed []Name
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z]+)` \\|.*$").FindAllStringSubmatch(string(page), -1) {
		listed = append(listed, Name(row[1]))
		file := regexp.MustCompile("`([a-z_]+/[a-z0-9_]+\\.go)`").FindStringSubmatch(row[0])
		if file == nil {
			t.Errorf("%s has no file", row[1])
			continue
		}
		if _, err := os.Stat(filepath.Join(root, "nbbnn", file[1])); err != nil {
			t.Errorf("%s: %v", row[1], err)
		}
	}
	if want := Names()[1:]; !slices.Equal(listed, want) {
		t.Errorf("the page lists %v, want %v", listed, want)
	}
}

// Every option but the name belongs to a method, and every method refuses those of all others.
func TestOptionsBelongToMethods(t *testing.T) {
	all := Method{
		Rho: 1, BothPasses: true, Start: 1, Rate: 1, Rank: 2, Diagonal: true, Cycles: 1, Snapshots: 1,
		NoiseEpochs: 1, Temperature: 1, Dropout: 0.5, Std: 1, SubBatches: 1,
	}
	for _, name := range Names() {
		for _, o := range optionsOf(all) {
			if !o.isSet() {
				t.Errorf("%s isn't among the options of the test", o.name)
			}
			if slices.Contains(o.of, NodeBNN) || slices.Contains(o.of, MAP) || len(o.of) == 0 {
				t.Errorf("%s belongs to %v", o.name, o.of)
			}
		}
		m := all
		m.Name = name
		err := checkOptions(m, testSettings())
		if err == nil || !strings.Contains(err.Error(), "leave it out") {
			t.Errorf("%s takes the options of all methods: error %v", name, err)
		}
	}
}
