package command

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/nbbnn/sweep"
)

// BenchmarkTenThousandRuns measures the commands that read many runs: 10,000, each with the 41
// cells of the suite first8.
func BenchmarkTenThousandRuns(b *testing.B) {
	folder := b.TempDir()
	manifest, runs := thousands(b, folder, "1..1000")
	for _, command := range []struct{ name, args string }{
		{"plan", "sweep plan --network allcnnc --data shapes10 --gamma 0,1,2,3,4,5,6,7,8,9 --seeds 1..1000 --manifest " + filepath.Join(folder, "other.json")},
		{"status", "sweep status --manifest " + manifest},
		{"compare", "compare --tidy --out " + filepath.Join(folder, "cells.csv")},
		{"runs", "runs"},
	} {
		args := append(strings.Fields(command.args), "--runs", runs)
		b.Run(command.name, func(b *testing.B) {
			for b.Loop() {
				var stderr strings.Builder
				if status := run(b.Context(), args, streams{out: io.Discard, err: &stderr}); status != exitDone {
					b.Fatal(stderr.String())
				}
			}
		})
	}
}

// The benchmark's directories are read as if each run had been trained, in order of their names.
func TestThousandsOfRuns(t *testing.T) {
	manifest, runs := thousands(t, t.TempDir(), "1..3")
	wantStatus(t, exitDone, "30 points: 30 done", "sweep", "status", "--manifest", manifest, "--runs", runs)
	table := wantStatus(t, exitDone, "", "compare", "--tidy", "--runs", runs, "--metrics", "nll")
	lines := strings.Split(strings.TrimSpace(table), "\n")
	if len(lines) != 1+30*41 || !slices.IsSortedFunc(lines[1:], byRun) {
		t.Errorf("%d lines, want a header and 41 cells of 30 runs in order", len(lines))
	}
}

// byRun compares the runs of two lines.
func byRun(a, b string) int { return strings.Compare(a[:12], b[:12]) }

// thousands makes a manifest of ten values of gamma and the given seeds, and the directories of all
// its runs: one is trained and tested, the others are copies of it under their own configurations.
func thousands(t testing.TB, folder, seeds string) (manifest, runs string) {
	t.Helper()
	manifest, runs = filepath.Join(folder, "m.json"), filepath.Join(folder, "runs")
	for _, command := range []string{
		"sweep plan --network allcnnc --width 2 --data shapes10 --train 32 --test 16 --epochs 1 --batch 8 --samples 1 --init-std 0.32" +
			" --gamma 0,1,2,3,4,5,6,7,8,9 --suite first8 --evaluation-samples 2 --evaluation-images 4 --seeds " + seeds,
		"sweep point --index 0 --runs " + runs,
	} {
		var stderr strings.Builder
		if status := run(t.Context(), append(strings.Fields(command), "--manifest", manifest), streams{out: io.Discard, err: &stderr}); status != exitDone {
			t.Fatal(stderr.String())
		}
	}
	plan := testkit.Must(sweep.Read(manifest))(t)
	first := testkit.Must(plan.Open(runs, 0))(t)
	card := testkit.Must(first.Run.Card())(t)
	table := testkit.Must(os.ReadFile(filepath.Join(first.Run.Directory(), "cells.csv")))(t)
	for index := 1; index < plan.Len(); index++ {
		config, err := plan.Config(index)
		if err == nil {
			err = copyRun(filepath.Join(runs, config.RunName()), config, card, string(table))
		}
		testkit.NoError(t, err)
	}
	return manifest, runs
}

// copyRun makes the directory of a run with the results of another one.
func copyRun(directory string, config nbbnn.Config, card nbbnn.Card, table string) error {
	card.Config, card.Run, card.ConfigHash, card.Seed, card.Checksum = config, config.RunName(), config.Hash(), config.Seed, ""
	data, err := json.Marshal(card)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(data)
	card.Checksum = hex.EncodeToString(sum[:])
	err = os.MkdirAll(filepath.Join(directory, "checkpoint"), 0o755)
	for name, value := range map[string]any{"config.json": config, "card.json": card} {
		file, failure := os.Create(filepath.Join(directory, name))
		err = errors.Join(err, failure, files.WriteJSON(file, value), file.Close())
	}
	sealed := sealedFor(score.Owner(card.ConfigHash, card.StateSHA256), table)
	return errors.Join(err, os.WriteFile(filepath.Join(directory, "cells.csv"), []byte(sealed), 0o644),
		os.WriteFile(filepath.Join(directory, "checkpoint", "latest.safetensors"), nil, 0o644))
}

// sealedFor returns a table of cells with the checksums of another owner: of each row the first 16
// digits of the SHA-256 of the owner, the file, and the columns that aren't empty.
func sealedFor(owner, table string) string {
	lines := strings.Split(strings.TrimSuffix(table, "\n"), "\n")
	header := strings.Split(lines[0], ",")
	for i, line := range lines[1:] {
		fields := strings.Split(line, ",")
		last := len(fields) - 1
		text := owner + "\x00cells.csv\x00"
		for column, field := range fields[:last] {
			if field != "" {
				text += header[column] + "=" + field + "\x00"
			}
		}
		sum := sha256.Sum256([]byte(text + "\x00"))
		fields[last] = hex.EncodeToString(sum[:8])
		lines[i+1] = strings.Join(fields, ",")
	}
	return strings.Join(lines, "\n") + "\n"
}
