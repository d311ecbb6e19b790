package command

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Bounds of a cell of another engine, whose training is like another seed's: 99 of 100 cells of two
// seeds in the committed records of XLA are within both.
const (
	nllBound   = 0.3 // of the larger
	errorBound = 0.1
)

var boundsText = fmt.Sprintf("the NLL of each cell within %g %%, its error within %g points",
	100*nllBound, 100*errorBound)

// compare compares every value of the record that the run has again, the cells' first. If the
// engines don't promise the same bits, differences within the bounds count as none.
func (v *verification) compare() error {
	card, err := v.again.Card()
	if err != nil {
		return err
	}
	_, again, err := told(v.again, card)
	if err != nil {
		return err
	}
	v.Again, v.Outcome = card.Engine, "equal"
	promised := engine.HasEqualBits(v.Engine) && engine.HasEqualBits(v.Again)
	for _, name := range v.names {
		now, found := again[name]
		if !found {
			v.Left++
		} else if strings.HasPrefix(name, "cell ") && strings.HasSuffix(name, " nll") {
			v.Cells++
		}
		switch {
		case !found || now == v.values[name] || v.Reason != "":
		case !promised && isNear(name, v.values[name], now):
			v.Outcome = "within bounds"
		default:
			v.Reason = fmt.Sprintf("%s is %s in the record, %s again (commit %.12s, again %.12s)",
				name, v.values[name], now, v.Commit, card.Commit)
		}
	}
	if v.Reason != "" {
		v.Outcome = "different"
	}
	return nil
}

// isNear reports whether a value is within its bounds. Those of cells have some alone.
func isNear(name, recorded, again string) bool {
	x, errX := strconv.ParseFloat(recorded, 64)
	y, errY := strconv.ParseFloat(again, 64)
	bound := math.Inf(1)
	switch {
	case !strings.HasPrefix(name, "cell "):
		return true
	case strings.HasSuffix(name, " nll"):
		bound = nllBound * max(x, y)
	case strings.HasSuffix(name, " error"):
		bound = errorBound
	}
	return math.Abs(x-y) <= bound || errX != nil || errY != nil
}

// told returns the names of all that a run or a record tells of its training and its cells, in
// order, and the values by the names.
func told(run *nbbnn.Run, card nbbnn.Card) (names []string, values map[string]string,
	err error) {
	values = map[string]string{}
	add := func(name, value string) {
		if value != "" {
			names, values[name] = append(names, name), value
		}
	}
	addFields := func(name string, fields any) {
		data, _ := json.Marshal(fields) // of numbers, which the card had as JSON
		var named map[string]any
		_ = json.Unmarshal(data, &named)
		for _, key := range slices.Sorted(maps.Keys(named)) {
			if key != "seconds" {
				add(name+" "+key, fmt.Sprint(named[key]))
			}
		}
	}
	err = run.EachValue(card, func(e []string, images, metric, value string) error {
		add(fmt.Sprintf("cell %s %s of %s (%s, %s images from %s on, %s samples, seed %s): %s",
			e[6], e[7], e[0], e[1], images, e[2], e[3], e[5], metric), value)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, e := range card.Evaluations() {
		cells, err := run.Cells(e.Evaluation)
		if err != nil {
			return nil, nil, err
		}
		flags := strings.Join(evaluationFlags(e.Evaluation), " ")
		for _, cell := range cells {
			if cell.Bins != (score.Bins{}) {
				add(fmt.Sprintf("the bins of %s %d (%s)", cell.Corruption, cell.Severity, flags),
					fmt.Sprint(cell.Bins))
			}
		}
		addFields(fmt.Sprintf("on the card, levels 0 to 5 (%s):", flags), e.Levels)
	}
	add("weights_sha256", card.WeightsSHA256)
	add("state_sha256", card.StateSHA256)
	addFields("the card's last epoch:", card.Training)
	history, err := run.History()
	for i, epoch := range history {
		addFields(fmt.Sprintf("epoch %d:", i), epoch)
	}
	return names, values, err
}
