package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A program that calls Main has every command, with the network and the corruption that it adds.
// The command line without them shows the results all the same, and refuses to make more.
func TestOwnProgram(t *testing.T) {
	folder := t.TempDir()
	program, runs, manifest := filepath.Join(folder, "own"), filepath.Join(folder, "runs"),
		filepath.Join(folder, "m.json")
	if output, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program,
		"./testdata/own").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	const (
		subject = " --network mine --data shapes10 --train 32 --test 16 --samples 1 --gamma 2"
		dims    = " --suite dims --samples 1 --images 4"
		fog     = " --suite fog --samples 1 --images 4"
		sweep   = " --manifest m.json"
	)
	words := func(line string) []string {
		args := strings.Fields(strings.NewReplacer("m.json", manifest, "RUNS", runs+"/*", "OUT",
			folder).Replace(line))
		var all []string
		for _, arg := range args {
			if found, _ := filepath.Glob(arg); len(found) > 1 {
				all = append(all, found...)
			} else {
				all = append(all, arg)
			}
		}
		return append(all, "--runs", runs)
	}

	for _, step := range []struct{ line, want string }{
		{"train --seed 1 --name first" + subject, "tested "},
		{"train --plan" + subject, "mine, width 2"},
		{"sweep plan --seeds 1..2 --suite fog --evaluation-samples 1 --evaluation-images 4" +
			subject + sweep, "next     " + program + " sweep run --manifest "},
		{"sweep run --parallel 2" + sweep, "note     2 runs hardly learnt: "},
		{"sweep submit --engine slurm --dry-run" + sweep, "NBBNN_PROGRAM=" + program},
		{"evaluate RUNS" + dims, "next "},
		{"compare RUNS" + dims, "dims, 1 corruption"},
		{"runs", "evaluated on dims"},
		{"train --help", "plane, mine\n"},
		{"predict first ../../docs/images/answers.png --out OUT", "first %"},
	} {
		output, err := exec.Command(program, words(step.line)...).CombinedOutput()
		if err != nil || !strings.Contains(string(output), step.want) {
			t.Fatalf("own %s: %v, want %q in\n%s", step.line, err, step.want, output)
		}
	}

	for _, step := range []struct{ line, want string }{
		{"runs --where network=mine", "evaluated on dims"},
		{"doctor", "2 in " + runs},
		{"compare RUNS --out OUT --cards" + fog, "2 of node-BNN"},
		{"compare --tidy", "dims,5,4,nll,"},
		{"report first --out OUT", "training.png"},
		{"evaluate RUNS" + fog, "next "},
		{"sweep status" + sweep, "2 done"},
		{"compare", "2 of node-BNN"},
		{"compare --evaluations", "note     left out: --suite dims --samples 1 --images 4: no " +
			"run is left: this program doesn't register all corruptions of dims"},
	} {
		wantStatus(t, exitDone, step.want, words(step.line)...)
	}
	wantStatus(t, exitDone, "2 points: 2 foreign", "sweep", "status", "--manifest", manifest,
		"--runs", t.TempDir())
	for _, line := range []string{
		"train --seed 3" + subject, "train --config OUT/cards/none.json",
		"evaluate first --suite snow", "evaluate first --outside shapes10_bright",
		"weights export first OUT/w.safetensors",
		"predict first ../../docs/images/answers.png --out OUT", "posthoc --from first",
	} {
		if _, stderr, status := execute(t, words(line)...); status == exitDone ||
			strings.Contains(stderr, "panic") {
			t.Errorf("nbbnn %s: status %d, %s", line, status, stderr)
		}
	}
	for _, line := range []string{"train --seed 3 --name third" + subject, "evaluate third" +
		dims} {
		if output, err := exec.Command(program, words(line)...).CombinedOutput(); err != nil {
			t.Fatalf("own %s: %v\n%s", line, err, output)
		}
	}
	wantStatus(t, exitFailed, "doesn't register all corruptions of dims", words("compare third")...)
}
