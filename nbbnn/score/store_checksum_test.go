package score

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// keptTables writes cells of two evaluations, one with registered metrics, and two outside tests.
func keptTables(t *testing.T, directory, owner string) {
	t.Helper()
	store := testkit.Must(OpenStore(directory, owner))(t)
	for i, cell := range setCells(t)[:3] {
		if i > 0 {
			cell.Custom = map[string]float64{"mine": 0.5 + float64(i), "other": 1}
		}
		for _, key := range []Key{{Suite: "fog,snow", Samples: 2}, {Suite: "clean", Samples: 2, Subset: 3}}[:1+i%2] {
			testkit.NoError(t, store.Add(key, cell))
		}
	}
	for _, test := range []Outside{outsideTest("cifar100", 0.7, 0.8, 0.6), outsideTest("mine, too", 0.9, 0.4)} {
		testkit.NoError(t, AddOutside(directory, owner, test))
	}
}

// allTables returns everything that the files of a directory hold, as readers see it.
func allTables(directory, owner string) (string, error) {
	store, err := OpenStore(directory, owner)
	if err != nil {
		return "", err
	}
	tests, err := ReadOutside(directory, owner)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, row := range store.rows {
		fmt.Fprintf(&b, "%+v %+v %+v\n", row, row.Cell.Further, row.Cell.Sets)
	}
	fmt.Fprintf(&b, "%+v\n", tests)
	err = EachValue(directory, owner, func(evaluation []string, images, metric, value string) error {
		fmt.Fprintln(&b, evaluation, images, metric, value)
		return nil
	})
	return b.String(), err
}

var tables = []table{cellTable, binTable, customTable, outsideTable}

// No bit of a table can change without an error or harm.
func TestFlippedTablesAreRefused(t *testing.T) {
	directory := t.TempDir()
	keptTables(t, directory, testOwner)
	want := testkit.Must(allTables(directory, testOwner))(t)
	for _, table := range tables {
		path := filepath.Join(directory, table.name)
		sound := testkit.Must(os.ReadFile(path))(t)
		noticed := 0
		for at := range sound {
			damaged := bytes.Clone(sound)
			damaged[at] ^= 1 << (at % 8)
			testkit.NoError(t, os.WriteFile(path, damaged, 0o644))
			got, err := allTables(directory, testOwner)
			if err == nil && got != want {
				t.Errorf("%s: a flip of byte %d, %q, changes what is read silently", table.name, at, sound[at])
			}
			if err != nil {
				noticed++
			}
		}
		if noticed < len(sound)*99/100 {
			t.Errorf("%s: %d of %d flips are noticed, want nearly all", table.name, noticed, len(sound))
		}
		testkit.NoError(t, os.WriteFile(path, sound, 0o644))
	}
}

// A row that is there twice, that is missing in its record, or that is another run's is noticed.
func TestForeignAndDoubleRowsAreRefused(t *testing.T) {
	directory, other := t.TempDir(), t.TempDir()
	keptTables(t, directory, testOwner)
	keptTables(t, other, Owner("c0", "ff"))
	for _, table := range tables {
		path := filepath.Join(directory, table.name)
		sound, foreign := lines(t, path), lines(t, filepath.Join(other, table.name))
		change := func(name string, rows []string, want string) {
			testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(rows, "")), 0o644))
			_, err := allTables(directory, testOwner)
			checkError(t, table.name+" with "+name, err, want)
		}
		whole := strings.Join(sound, "")
		change("a cut row", []string{whole[:len(whole)-20]}, "damaged in line")
		change("a double row", slices.Insert(slices.Clone(sound), 2, sound[1]), "damaged in line 2")
		change("a double row at the end", append(slices.Clone(sound), sound[1]), "damaged in line")
		change("a foreign row", append(slices.Clone(sound[:len(sound)-1]), foreign[len(sound)-1]), "damaged in line")
		change("foreign rows", foreign, "damaged in line 2, or of another run")
		if at := secondRow(sound); at > 0 { // of a record with several
			change("a missing row", slices.Delete(slices.Clone(sound), at, at+1), fmt.Sprintf("damaged in line %d", at))
		} else if table.name != cellFile {
			t.Errorf("%s has no record with several rows", table.name)
		}
		testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(sound, "")), 0o644))
	}
	_, err := OpenStore(directory, "")
	checkError(t, "no owner", err, "no card.json")
}

// secondRow returns the place of the first line with the checksum of the line before, or 0.
func secondRow(lines []string) int {
	checksum := func(line string) string { return line[strings.LastIndexByte(line, ','):] }
	for at := 2; at < len(lines); at++ {
		if checksum(lines[at]) == checksum(lines[at-1]) {
			return at
		}
	}
	return 0
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	data := testkit.Must(os.ReadFile(path))(t)
	return slices.Collect(strings.Lines(string(data)))
}

// A table whose checksums were removed is refused, column and all.
func TestTablesWithoutChecksumsAreRefused(t *testing.T) {
	directory := t.TempDir()
	keptTables(t, directory, testOwner)
	for _, table := range tables {
		path := filepath.Join(directory, table.name)
		sound := lines(t, path)
		for text, want := range map[string]string{"": "damaged in line 1", ",": "damaged in line 2"} {
			changed := sound[0][:strings.LastIndexByte(sound[0], ',')] + "\n"
			if text == "," {
				changed = sound[0]
			}
			for _, line := range sound[1:] {
				changed += line[:strings.LastIndexByte(line, ',')] + text + "\n"
			}
			testkit.NoError(t, os.WriteFile(path, []byte(changed), 0o644))
			_, err := allTables(directory, testOwner)
			checkError(t, table.name, err, want)
		}
		testkit.NoError(t, os.WriteFile(path, []byte(strings.Join(sound, "")), 0o644))
	}
}

// Tables without quotes are read as package csv reads them.
func TestPlainLines(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		text := make([]byte, random.IntN(24))
		for i := range text {
			text[i] = "a1 ,,\n\n#\t;"[random.IntN(10)]
		}
		want, err := quotedLines(string(text))
		if got := plainLines(string(text)); err != nil || !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("%q: %q, want %q (%v)", text, got, want, err)
		}
	}
}
