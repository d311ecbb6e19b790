package paper

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// fixture returns an evaluated result of Figure 3 with the given seeds. The entropies fall by 2
// nats an epoch, from -100 (M16) and 50 (M32); the negative log-likelihoods are the paper's; seed s
// lies s/100 above them, for both methods. Temperature scaling takes a fifth of them away.
func fixture(seeds ...uint64) *Result {
	result := &Result{evaluated: true, Figure: Figure03, Scale: Desk, Setup: allCNNC(Smoke)}
	result.Setup.Seeds = seeds
	for _, seed := range seeds {
		for i, method := range []string{"M16", "M32"} {
			trained, err := nbbnn.Open("no runs", result.Setup.config(result.Setup.Methods[i],
				seed))
			if err != nil {
				panic(err)
			}
			run := RunResult{Run: Run{Method: method, Seed: seed, Run: trained}, Cells: fogCells()}
			for epoch := range 5 {
				entropy := -100 + 150*float64(i) - 2*float64(epoch)
				run.History = append(run.History, nbbnn.Epoch{Epoch: epoch, Entropy: entropy,
					NLL: 0.2, Error: 0.05})
			}
			for level, mean := range published.Figure3[i].Mean {
				run.Cells[level].NLL = mean + float64(seed)/100
				run.Cells[level].Temperature, run.Cells[level].ScaledNLL = 1.5,
					0.8*run.Cells[level].NLL
			}
			result.Runs = append(result.Runs, run)
		}
	}
	return result
}

// fogCells are the clean cell and those of one corruption, so that the place of a cell is its
// level.
func fogCells() score.Cells {
	cells := score.Cells{{Corruption: score.Clean}}
	for severity := 1; severity < score.LevelCount; severity++ {
		cells = append(cells, score.Cell{Corruption: "fog", Severity: severity})
	}
	return cells
}

// change applies f to every run of a method.
func (r *Result) change(method string, f func(*RunResult)) {
	for i := range r.Runs {
		if r.Runs[i].Method == method {
			f(&r.Runs[i])
		}
	}
}

// replaceInFile replaces the first occurrence of a text in a file.
func replaceInFile(t *testing.T, path, old, new string) {
	t.Helper()
	data := bytes.Replace(readFile(t, path), []byte(old), []byte(new), 1)
	testkit.NoError(t, os.WriteFile(path, data, 0o644))
}

// changeCard changes a run's card, which then holds its checksum again.
func changeCard(t *testing.T, run *nbbnn.Run, change func(*nbbnn.Card)) {
	t.Helper()
	card := testkit.Must(run.Card())(t)
	change(&card)
	card.Checksum = ""
	data := testkit.Must(json.Marshal(card))(t)
	card.Checksum = fmt.Sprintf("%x", sha256.Sum256(data))
	data = testkit.Must(json.Marshal(card))(t)
	testkit.NoError(t, os.WriteFile(filepath.Join(run.Directory(), "card.json"), data, 0o644))
}

// made returns a figure that is trained, measured and saved at the smoke scale.
func made(t *testing.T, figure Figure, options Options) *Result {
	t.Helper()
	result, _, err := Make(t.Context(), figure, Smoke, options)
	testkit.NoError(t, err)
	return result
}

// firstTable is the table of the figure's numbers.
func firstTable(r *Result) (viz.Table, error) {
	tables, err := r.Tables()
	if err != nil {
		return viz.Table{}, err
	}
	return tables[0], nil
}
