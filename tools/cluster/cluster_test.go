//go:build unix

// Package cluster tests test.sh where there is no cluster.
package cluster

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// programs makes a folder of programs of this machine, the PATH of a script.
func programs(t *testing.T, names ...string) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range names {
		found, err := exec.LookPath(name)
		if err != nil {
			t.Skipf("tools/cluster/test.sh was not tested: %v", err)
		}
		if err := os.Symlink(found, filepath.Join(folder, name)); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// write makes a file, which may be run.
func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text),
		0o755)); err != nil {
		t.Fatal(err)
	}
}

// Without Slurm, HyperQueue and Snakemake, the script says so and computes nothing.
func TestWithoutAClusterNothingIsComputed(t *testing.T) {
	place := t.TempDir()
	write(t, filepath.Join(place, "nbbnn"), "#!/bin/sh\n: > \"$CLUSTER_PLACE/computed\"\n")
	command := exec.Command("bash", "test.sh")
	command.Env = []string{
		"PATH=" + programs(t, "bash", "dirname", "id", "tail"), "NBBNN=" +
			filepath.Join(place, "nbbnn"),
		"CLUSTER_PLACE=" + place, "HQ=/nowhere/hq", "HQ_PYTHON=/nowhere/python",
	}
	said, err := command.CombinedOutput()
	if err != nil || strings.Count(string(said), "NOT TESTED") != 3 ||
		!strings.Contains(string(said), "hq submit is left out") {
		t.Errorf("without a cluster: error %v, and it says %q, want NOT TESTED three times, and "+
			"hq submit left out", err, said)
	}
	if _, err := os.Stat(filepath.Join(place, "computed")); err == nil {
		t.Error("the points were computed, though nothing can be compared with them")
	}
}

// A wc that writes blanks before its number, as on macOS, doesn't change what check finds.
func TestCheckWithPaddedCounts(t *testing.T) {
	script, err := os.ReadFile("test.sh")
	if err != nil {
		t.Fatal(err)
	}
	check := regexp.MustCompile(`(?ms)^check\(\) \{.*?^\}$`).Find(script)
	if check == nil {
		t.Fatal("test.sh has no function check")
	}
	place, path := t.TempDir(), programs(t, "bash", "ls", "basename", "sed", "cmp", "grep", "cat")
	wc, err := exec.LookPath("wc")
	if err != nil {
		t.Skip("there's no wc here")
	}
	write(t, filepath.Join(path, "wc"), "#!/bin/sh\nprintf '%8s\\n' \"$("+wc+" \"$@\")\"\n")
	for _, folder := range []string{"turn/a", "cluster/a"} {
		for name, text := range map[string]string{"card.json": "{\"state_sha256\": 1}\n",
			"train.jsonl": "{}\n{}\n", "cells.csv": "0\n"} {
			write(t, filepath.Join(place, folder, name), text)
		}
	}
	const rest = `set -euo pipefail; place=$1; fail() { echo "$*"; exit 1; }; epochs=1`
	for _, c := range []struct {
		points string
		fails  bool
	}{{"1", false}, {"2", true}} {
		command := exec.Command("bash", "-c", rest+" points="+c.points+"\n"+
			string(check)+"\ncheck \"$1/cluster\"", "bash", place)
		command.Env = []string{"PATH=" + path}
		if said, err := command.CombinedOutput(); (err != nil) != c.fails {
			t.Errorf("%s points: error %v, want one: %v; it says %q", c.points, err, c.fails, said)
		}
	}
}
