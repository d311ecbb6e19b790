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
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
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

// compare compares every value that both the record and the repeated run have, the cells first. If
// the engines don't promise the same bits, it ignores differences within the bounds.
func (v *verification) compare() error {
	card, err := v.again.Card()
	if err != nil {
		return err
	}
	all, err := told(v.again, card)
	if err != nil {
		return err
	}
	again, tested := map[string]string{}, map[string]bool{}
	for _, value := range all {
		again[value.name], tested[value.test] = value.text, true
	}
	v.Again, v.Outcome = card.Engine, "equal"
	v.Took = fmt.Sprintf("trained in %s and again in %s", seconds(v.card.WallSeconds),
		seconds(card.WallSeconds))
	promised := engine.HasEqualBits(v.Engine) && engine.HasEqualBits(v.Again)
	for _, value := range v.values {
		now, found := again[value.name]
		if found && value.test != "" && value.column == "nll" {
			v.Cells++
			v.tests = quantity.AddNew(v.tests, value.test)
		}
		switch {
		case !found && tested[value.test]:
			v.leave("column " + value.column)
		case !found:
			test, _, _ := strings.Cut(value.test, ",")
			v.leave("test " + strings.NewReplacer(" (plain", "", "(", "").Replace(test))
		case now == value.text || v.Reason != "":
		case !promised && value.isNear(now):
			v.Outcome = "within bounds"
		default:
			v.Reason = fmt.Sprintf("%s is %s in the record and %s in the new run (commits %s "+
				"and %s)", value.name, value.text, now, machine.Short(v.Commit),
				machine.Short(card.Commit))
		}
	}
	if v.Reason != "" {
		v.Outcome = "different"
	}
	return nil
}

// leave counts a value that the new run lacks.
func (v *verification) leave(kind string) {
	v.Left++
	v.LeftOf = quantity.AddNew(v.LeftOf, kind)
}

// value is a text of a run's or a record's training or cells.
type value struct {
	name, text   string
	test, column string // the test is a cell's, "" for all else
}

// isNear reports whether a value is within its bounds, which only cells have.
func (v value) isNear(again string) bool {
	x, errX := strconv.ParseFloat(v.text, 64)
	y, errY := strconv.ParseFloat(again, 64)
	bound := math.Inf(1)
	switch {
	case v.test == "":
		return true
	case v.column == "nll":
		bound = nllBound * max(x, y)
	case v.column == "error":
		bound = errorBound
	}
	return math.Abs(x-y) <= bound || errX != nil || errY != nil
}

// told returns all values of a run's or a record's training and cells.
func told(run *nbbnn.Run, card nbbnn.Card) (all []value, err error) {
	add := func(name, column, text string) {
		if text != "" {
			all = append(all, value{name: name + " " + column, text: text, column: column})
		}
	}
	addFields := func(name string, fields any) {
		data, _ := json.Marshal(fields) // of numbers, which the card had as JSON
		var named map[string]any
		_ = json.Unmarshal(data, &named)
		for _, key := range slices.Sorted(maps.Keys(named)) {
			if key != "seconds" {
				add(name, key, fmt.Sprint(named[key]))
			}
		}
	}
	err = run.EachValue(card, func(e []string, images, metric, text string) error {
		test := fmt.Sprintf("%s (%s, %s images from %s on, %s samples, seed %s)", e[0], e[1],
			images, e[2], e[3], e[5])
		name := fmt.Sprintf("in the cell %s at level %s of the test %s, the column %s", e[6], e[7],
			test, metric)
		all = append(all, value{name, text, test, metric})
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, e := range card.Evaluations() {
		cells, err := run.Cells(e.Evaluation)
		if err != nil {
			return nil, err
		}
		flags := strings.Join(evaluationFlags(e.Evaluation), " ")
		for _, cell := range cells {
			if cell.Bins != (score.Bins{}) {
				add(fmt.Sprintf("of %s at level %d (%s), the list of", cell.Corruption,
					cell.Severity, flags), "bins", fmt.Sprint(cell.Bins))
			}
		}
		addFields(fmt.Sprintf("on the card, for levels 0 to 5 (%s),", flags), e.Levels)
	}
	add("on the card,", "weights_sha256", card.WeightsSHA256)
	add("on the card,", "state_sha256", card.StateSHA256)
	addFields("on the card, of the last epoch,", card.Training)
	history, err := run.History()
	for i, epoch := range history {
		addFields(fmt.Sprintf("in epoch %d,", i), epoch)
	}
	return all, err
}
