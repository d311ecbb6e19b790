package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/estimate"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
)

func verifyCommand(a *app) *cobra.Command {
	plan := false
	command := &cobra.Command{
		Use:   "verify RECORD...",
		Short: "Train again from records, and compare weights, epochs and cells",
		Long: "Train again from records that --cards has kept, evaluate as they were, and " +
			"compare weights, epochs and cells:\n" +
			"bit for bit if the AVX2 or AVX-512 kernels trained both, otherwise " + boundsText +
			".\nWithout --runs the trainings are in a temporary folder. An interrupt saves; the " +
			"same command with --runs continues.",
		Example: `  nbbnn verify out/cards/map-seed1.9f3c2a1b44d0.record
  nbbnn verify out/cards/*.record --runs again --json`,
		RunE: func(c *cobra.Command, args []string) error {
			return verifyAll(c.Context(), a, args, c.Flags().Changed("runs"), plan)
		},
	}
	command.Flags().BoolVar(&plan, "plan", false, planHelp)
	return command
}

// verification checks a record by a new run.
type verification struct {
	Record  string `json:"record"`
	Outcome string `json:"outcome"`          // equal, within bounds, different, failed or planned
	Reason  string `json:"reason,omitempty"` // of different and failed
	Cells   int    `json:"cells"`            // of the record, that were compared
	Left    int    `json:"values_left"`      // of the record, that the new run lacks
	Commit  string `json:"commit"`           // of the program that made the record
	Engine  string `json:"engine"`           // that made the record
	Again   string `json:"engine_again"`
	Took    string `json:"took,omitempty"` // both trainings' time, or how long it'll be

	LeftOf []string `json:"values_left_of,omitempty"` // tests and columns

	card          nbbnn.Card // of the record
	tests         []string   // that were compared
	values        []value    // all of the record
	record, again *nbbnn.Run
}

// verifyAll checks and plans all records before it trains the first again. One that fails doesn't
// stop the others.
func verifyAll(ctx context.Context, a *app, paths []string, keep, planOnly bool) (err error) {
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil {
			return commandline.Usagef("nbbnn verify: there is no record %s: give records, which "+
				"--cards writes, by their paths", path)
		} else if info.IsDir() {
			return commandline.Usagef("nbbnn verify: %s is a folder: name its records, %s", path,
				filepath.Join(path, "*"+files.RecordEnding))
		}
	}
	if _, err := records.Directories(paths); err != nil {
		return commandline.Usage(err)
	}
	if !keep {
		if a.runs, err = os.MkdirTemp("", "nbbnn-verify-"); err != nil {
			return fmt.Errorf("nbbnn verify: %w: name a folder with --runs", err)
		}
		defer func() {
			if err == nil {
				_ = os.RemoveAll(a.runs)
			} else if os.Remove(a.runs) != nil { // it isn't empty
				a.note("--runs %s has the training", quote(a.runs))
			}
		}()
	}
	if _, err := announceEngine(a); err != nil {
		return err
	}
	return stepAll(ctx, a, paths, planOnly)
}

// stepAll takes all records through the steps of a verification, one step after the other.
func stepAll(ctx context.Context, a *app, paths []string, planOnly bool) error {
	all, known, total := make([]verification, len(paths)), map[string]float64{}, 0.
	each := func(step func(*verification) error) error {
		for i := range all {
			if all[i].Record = paths[i]; all[i].Outcome != "" {
				continue
			}
			err := step(&all[i])
			if errors.Is(err, nbbnn.ErrStopped) || ctx.Err() != nil {
				return err
			}
			if err != nil {
				all[i].Outcome = "failed"
				all[i].Reason = strings.TrimPrefix(reason(err), paths[i]+" ")
			}
		}
		return nil
	}
	err := each(func(v *verification) error { return v.check(ctx, a) })
	if err == nil {
		err = each(func(v *verification) error {
			takes, err := v.plan(ctx, known)
			if total += takes; err == nil && planOnly {
				v.Outcome = "planned"
			} else if err == nil {
				fmt.Fprintf(a.err, "plan     %s: %s\n", v.Record, v.Took)
			}
			return err
		})
	}
	if err == nil && total > 0 && len(all) > 1 {
		fmt.Fprintf(a.err, "plan     all of them about %s\n", seconds(total))
	}
	if err == nil {
		err = each(func(v *verification) error { return v.repeat(ctx, a) }) // none if planned
	}
	if err != nil {
		return err
	}
	return reportVerified(a, all)
}

// reportVerified prints a line for each record, or all as JSON.
func reportVerified(a *app, all []verification) error {
	text, failed := "", 0
	for _, v := range all {
		detail := fmt.Sprintf("%s of %s, by %s and again by %s; %s",
			quantity.Count(v.Cells, "cell"), quantity.Count(len(v.tests), "test"), v.Engine,
			v.Again, v.Took)
		if v.Outcome == "equal" {
			detail = "weights, epochs and " + detail
		} else if v.Outcome == "planned" {
			detail = v.Took
		}
		if v.Left > 0 {
			detail += fmt.Sprintf("; not compared: %s (%s)", quantity.Count(v.Left, "value"),
				quantity.List(v.LeftOf, 4))
		}
		if v.Reason != "" {
			failed++
			detail = v.Reason
		}
		text += fmt.Sprintf("%s: %s: %s\n", v.Record, v.Outcome, detail)
	}
	if err := a.print(all, "%s", text); err != nil || failed == 0 {
		return err
	}
	return fmt.Errorf("nbbnn verify: %d of %s not verified", failed, quantity.Count(len(all),
		"record"))
}

// check refuses what can't be trained again here.
func (v *verification) check(ctx context.Context, a *app) error {
	directory, err := records.Directory(v.Record)
	if err != nil {
		return err
	}
	if read := records.Path(directory, ""); read != filepath.Clean(v.Record) {
		return fmt.Errorf("nbbnn: next to it lies the run, %s: verify a copy elsewhere", read)
	}
	if isEnsemble(directory) {
		return errors.New("nbbnn: it is of an ensemble: verify the records of its members")
	}
	if v.record, err = nbbnn.OpenDirectory(directory); err != nil {
		return err
	}
	if v.card, err = v.record.Card(); err != nil {
		return err
	}
	v.Commit, v.Engine = v.card.Commit, v.card.Engine
	config := v.record.Config()
	parent := config.Posthoc.Run
	switch {
	case config.Imported != "":
		return fmt.Errorf("nbbnn: its weights were %s and can't be trained here", v.Engine)
	case parent != "" && isThere(filepath.Join(a.runs, parent, "checkpoint")):
	case parent != "" && v.card.Parent != nil && v.card.Parent.Source != "":
		return fmt.Errorf("nbbnn: it keeps the weights of run %s, %s, which %s lacks: `nbbnn "+
			"weights import FILE` with the same flags as then and the same --runs first", parent,
			v.card.Parent.Source, a.runs)
	case parent != "":
		return fmt.Errorf("nbbnn: it keeps the weights of run %s, which %s lacks: verify the "+
			"record of that run with the same --runs first", parent, a.runs)
	}
	for _, e := range v.evaluations() {
		if err := e.Validate(max(1, config.Posterior.Components)); err != nil {
			return err
		}
	}
	if v.again, err = nbbnn.Open(a.runs, config); err != nil {
		return err
	}
	if err := cmp.Or(checkData(ctx, config), v.checkHash(ctx)); err != nil {
		return err
	}
	v.values, err = told(v.record, v.card)
	return err
}

// checkHash refuses images that aren't the record's.
func (v *verification) checkHash(ctx context.Context) error {
	data, err := dataset.Open(ctx, v.card.Config.Data.Images())
	if err == nil && data.Hash != v.card.Data.Hash {
		err = fmt.Errorf("nbbnn: %s here has SHA-256 %.12s, not the recorded %.12s: get "+
			"those images", data.Name, data.Hash, v.card.Data.Hash)
	}
	return err
}

// plan estimates how long the training and the tests take, and says so in Took. Records that differ
// only in their seed take the same time.
func (v *verification) plan(ctx context.Context,
	known map[string]float64) (takes float64, err error) {
	const writing = 0.008 // seconds an epoch
	if isBegun(v.again) {
		v.Took = v.again.Directory() + " continues, or is compared as it is"
		return 0, nil
	}
	config := v.card.Config
	config.Seed = 0
	same := fmt.Sprint(config)
	for _, e := range v.evaluations() {
		e.First = 0 // of other seeds it differs
		same += fmt.Sprint(e)
	}
	if known[same] == 0 {
		work, err := estimate.SweepDuration(ctx, []nbbnn.Config{config}, v.evaluations()...)
		if err != nil {
			return 0, err
		}
		known[same] = work.Seconds() + writing*float64(config.Training.Epochs)
	}
	v.Took = fmt.Sprintf("%s, %s, with its tests about %s", subjectOf(config),
		quantity.Count(config.Training.Epochs, "epoch"), seconds(known[same]))
	return known[same], nil
}

// repeat trains, evaluates and compares.
func (v *verification) repeat(ctx context.Context, a *app) error {
	line := newProgress(a.streams, "")
	defer line.finish()
	report := line.report(v.again.Directory())
	if err := v.again.Train(ctx, report); err != nil {
		return err
	}
	for _, e := range v.evaluations() {
		if _, err := v.again.Evaluate(ctx, e, report); err != nil {
			return err
		}
	}
	return v.compare()
}

// evaluations lists the evaluations on the card, and the test after a training.
func (v *verification) evaluations() (all []nbbnn.Evaluation) {
	if quick := v.card.QuickTest(); v.record.Evaluated(quick) {
		all = append(all, v.record.FillEvaluation(quick))
	}
	for _, e := range slices.Backward(v.card.Evaluations()) { // the latest last, as on its card
		all = append(all, e.Evaluation)
	}
	return all
}
