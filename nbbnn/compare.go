package nbbnn

import (
	"cmp"
	"fmt"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// UnevaluatedError reports that a run lacks cells of an evaluation.
type UnevaluatedError struct {
	Run        string     // its directory
	Evaluation Evaluation // filled
	Missing    int        // cells that are still to be computed
	Total      int        // cells of the evaluation; 0 if the run has none at all
}

// Error names the run, the evaluation, how many cells are missing and how to compute them.
func (e *UnevaluatedError) Error() string { return e.Lack() + ": call Run.Evaluate first" }

// Lack returns Error without the cure, for programs with another cure.
func (e *UnevaluatedError) Lack() string {
	if e.Total == 0 {
		return fmt.Sprintf("nbbnn: run %s isn't evaluated", e.Run)
	}
	return fmt.Sprintf("nbbnn: run %s misses %d of %d cells of %s with %d %s",
		e.Run, e.Missing, e.Total, e.Evaluation.label(), e.Evaluation.Samples,
		quantity.Noun(e.Evaluation.Samples, "sample"))
}

// Compare groups runs that differ only in their seed into methods, in the order of their first
// runs. Every run must have all cells of the evaluation; suite may be the evaluation's, which ""
// means, or a smaller one. Posthoc runs are seeds of one method if each has the seed of its parent
// and the parents are of one method, or if all have one parent. Each imported file is a method of
// its own, until Run.Join says which belong together. The seeds may have been tested on different
// images, as in figures: a run that lacks the evaluation is compared in the latest one that differs
// from it in First alone. They may have been trained on different images, too: each seed from its
// own Data.First on. The suite score.Clean compares tests on clean images alone (Run.CleanTest) of
// the evaluation's number of images, or of one number for all runs if that is 0. The settings of a
// method are the Config of its first run, filled, with seed 0; of an imported file they have no
// training, and Imported is the name of the run. Runs of one method whose data sets have another
// content are refused.
func Compare(runs []*Run, evaluation Evaluation, suite string) (score.Comparison, error) {
	images := placesOfSeeds{}
	scored, err := scoredRuns(runs, func(run *Run) (score.Cells, error) {
		if suite == score.Clean {
			return cleanCells(run, evaluation.Images)
		}
		cells, from, err := cellsOnOwnImages(run, evaluation)
		return cells, cmp.Or(err, images.add(run, from, "tested", "give them one evaluation"))
	})
	if err != nil {
		return score.Comparison{}, err
	}
	compared, err := score.Compare(cmp.Or(suite, evaluation.WithDefaults().Suite), scored...)
	if err != nil || suite == score.Clean {
		return compared, err
	}
	card, err := runs[0].Card() // of no runs nothing is compared
	compared.Classes = card.Data.Classes
	return compared, err
}

// cleanCells returns the cell of Run.CleanTest.
func cleanCells(run *Run, images int) (score.Cells, error) {
	cell, found, err := run.CleanTest(images)
	if err == nil && !found {
		err = &UnevaluatedError{Run: run.directory,
			Evaluation: Evaluation{Part: CleanPart, Images: images}.WithDefaults()}
	}
	return score.Cells{cell}, err
}

// placesOfSeeds holds the place of the first image that the runs of each seed have.
type placesOfSeeds map[uint64]int

// add refuses a run that was trained or tested on other images than another run of its seed.
func (p placesOfSeeds) add(run *Run, place int, done, cure string) error {
	seed := run.config.Seed
	if other, known := p[seed]; known && other != place {
		return fmt.Errorf("nbbnn: run %s was %s on images from place %d on, another of seed %d "+
			"from %d on: %s", run.directory, done, place, seed, other, cure)
	}
	p[seed] = place
	return nil
}

// scoredRuns returns runs with their cells and costs, and refuses data sets of one name and another
// content.
func scoredRuns(runs []*Run, cellsOf func(*Run) (score.Cells, error)) ([]score.Run, error) {
	scored := make([]score.Run, len(runs))
	groups, err := groupsOf(runs)
	if err != nil {
		return nil, err
	}
	images := placesOfSeeds{}
	for i, run := range runs {
		if err := images.add(run, run.config.Data.First, "trained",
			"compare runs whose seeds have one place each"); err != nil {
			return nil, err
		}
		cells, err := cellsOf(run)
		if err != nil {
			return nil, err
		}
		if err := sameContent(groups.firstOf(run), run); err != nil {
			return nil, err
		}
		scored[i] = groups.scored(run)
		scored[i].Cells = cells
		if scored[i].Cost, err = CostOf(run, cells); err != nil {
			return nil, err
		}
	}
	return scored, nil
}

// cellsOnOwnImages returns a run's scores in an evaluation, or else in one that differs only in
// First, the seed's own if there are several or the latest, and the place of the first image.
func cellsOnOwnImages(r *Run, evaluation Evaluation) (cells score.Cells, from int, err error) {
	if cells, err = r.Cells(evaluation); err == nil {
		return cells, evaluation.First, nil
	}
	card, cardErr := r.Card()
	wanted := r.FillEvaluation(evaluation)
	var own *Evaluation
	for _, on := range card.Evaluations() {
		other := r.FillEvaluation(on.Evaluation)
		isOwn := on.First == int(r.config.Seed-1)*on.Images
		if other.First = wanted.First; other == wanted && (own == nil || isOwn) {
			own = &on.Evaluation
		}
	}
	if cardErr != nil || own == nil {
		return nil, 0, err
	}
	cells, err = r.Cells(*own)
	return cells, own.First, err
}

// groups identifies the runs that are seeds of one method.
type groups struct {
	places map[*Run]place
	first  map[string]*Run // of methods, by their keys
}

type place struct {
	key    string       // the same for the runs of a method
	origin score.Origin // identifies the pairs of runs of a seed
	isFile bool         // it was imported, or is the one noise on such a file

	// checksum of its network, or of that under its noise; "" for noises on one network
	weights string
}

// groupsOf refuses two runs of one method with the same weights, and joined files of one seed or of
// networks with other numbers of parameters.
func groupsOf(runs []*Run) (groups, error) {
	g := groups{places: map[*Run]place{}, first: map[string]*Run{}}
	children := map[string]int{} // posthoc runs by their settings and their parent's weights
	named := map[string]*Run{}
	for _, run := range runs {
		children[methodOf(run, run.config).Hash()]++
		named[run.directory] = run
	}
	taken := map[string]*Run{} // by the key and a seed or weights
	for _, run := range runs {
		p := placeIn(run, children, named)
		g.places[run] = p
		g.first[p.key] = cmp.Or(g.first[p.key], run)
		if first := g.first[p.key]; p.isFile && !sameSize(first, run) {
			return g, fmt.Errorf("nbbnn: runs %s and %s can't be seeds of %q, as they are "+
				"networks of other sizes: give them different names",
				first.directory, run.directory, run.joined)
		}
		for _, of := range []string{fmt.Sprint("seed ", run.config.Seed), "weights " + p.weights} {
			other := taken[p.key+of]
			taken[p.key+of] = run
			switch {
			case other == nil || other.hash() == run.hash():
			case p.isFile:
				return g, fmt.Errorf("nbbnn: runs %s and %s can't be seeds of %q, as they have "+
					"one seed or the same weights: give them different names, or import each "+
					"file once, with a --seed of its own",
					other.directory, run.directory, run.joined)
			case p.weights != "" && of == "weights "+p.weights:
				return g, sameWeights(other, run)
			}
		}
	}
	return g, nil
}

// sameSize reports whether two runs have networks of as many parameters for two classes, or one
// that this program doesn't define.
func sameSize(a, b *Run) bool {
	one, other := storedParameters(a.config, 2), storedParameters(b.config, 2)
	return one == other || one == 0 || other == 0
}

// sameWeights returns the error of two runs that count as two networks and are one.
func sameWeights(a, b *Run) error {
	return fmt.Errorf("nbbnn: runs %s and %s have the same weights, so they aren't two seeds: "+
		"leave out the one that was imported with another seed",
		a.directory, b.directory)
}

// methodOf returns what runs share that differ only in their seed, and in which of several runs
// with the same weights is the parent: of a run's configuration, or its parent's. A file is known
// by the name that joins it, or by its run.
func methodOf(r *Run, c Config) Config {
	name := cmp.Or(r.joined, fmt.Sprintf("%.8s", c.RunName()))
	c = c.titled().Config.(Config)
	c.Posthoc.Run = ""
	if c.Imported != "" {
		c.Imported = name
		if r.joined != "" && c.Network.Fingerprint != "" { // which its file's name is in
			c.Network.Name, c.Network.Fingerprint = r.joined, ""
		}
	}
	return c
}

// placeIn returns the place of a run. Posthoc runs are seeds as their parents are, if each has the
// seed of a parent of its own and the parents are of one method and in the same directory of runs.
// Others are seeds of the noise on one network. Noise on a file without a name of its own is joined
// as the file is, if that is among the runs by their directories.
func placeIn(r *Run, children map[string]int, runs map[string]*Run) (p place) {
	card, _ := r.Card() // a damaged one is reported where it's read for results
	c := methodOf(r, r.config)
	if card.Parent == nil {
		p.origin.Weights = cmp.Or(card.WeightsSHA256, r.config.Imported)
	}
	p.weights = p.origin.Weights
	if p.key, p.isFile = c.Hash(), c.Imported != ""; !c.Posthoc.isSet() {
		return p
	}
	weights := c.Posthoc.Weights
	if card.Parent != nil {
		weights = cmp.Or(card.Parent.WeightsSHA256, weights)
	}
	directory := filepath.Join(filepath.Dir(r.directory), r.config.Posthoc.Run)
	from, err := configIn(directory)
	if err != nil || from.Seed != r.config.Seed || children[p.key] > 1 {
		p.origin.Parent, p.origin.OnOne, p.weights = weights, true, ""
		return p
	}
	p.weights = weights
	if p.isFile = from.Imported != ""; p.isFile {
		p.origin.Parent = weights
	}
	named := r // whose label the file has
	if file := runs[directory]; file != nil && r.joined == "" {
		named = file
	}
	parent := methodOf(named, from)
	if from.Posthoc.isSet() { // its latents are sampled
		if first, err := configIn(filepath.Join(filepath.Dir(r.directory),
			from.Posthoc.Run)); err == nil && first.Seed == from.Seed {
			parent = onParent(parent, methodOf(named, first))
		}
	}
	c = onParent(c, parent)
	p.key = c.Hash()
	return p
}

// onParent returns the configuration of a posthoc run on the network that a method's files share.
func onParent(c, parent Config) Config {
	c.Posthoc.Run, c.Posthoc.Weights = parent.RunName(), ""
	c.Network.Name, c.Network.Fingerprint = parent.Network.Name, parent.Network.Fingerprint
	return c
}

// firstOf returns the first run of a run's method.
func (g groups) firstOf(run *Run) *Run { return g.first[g.places[run].key] }

// scored returns a run without its results, with the settings of its method.
func (g groups) scored(run *Run) score.Run {
	first := g.firstOf(run)
	titled := first.config.titled()
	settings := titled.Config.(Config)
	settings.Imported = methodOf(first, first.config).Imported
	return score.Run{
		Name: filepath.Base(run.directory), Title: titled.Title, Settings: settings,
		Seed: run.config.Seed, Origin: g.places[run].origin,
	}
}

// CostOf returns the cost of a trained run whose test gave the cells. The cost of a posthoc run
// comes on top of its parent's training, whose epochs and seconds it doesn't count.
func CostOf(r *Run, cells score.Cells) (score.Cost, error) {
	card, err := r.Card()
	if err != nil {
		return score.Cost{}, err
	}
	cost := score.Cost{
		Parameters: storedParameters(r.config, card.Data.Classes),
		Epochs:     r.config.Training.Epochs,
		TrainingPasses: methods.Passes(r.config.Method) * r.config.Posthoc.passes() *
			r.config.Training.Samples,
		TrainingSeconds:  card.WallSeconds,
		PredictionPasses: 1,
		Posthoc:          r.config.Posthoc.isSet(),
	}
	if r.config.Posthoc.FixedNoise {
		cost.Epochs = 0
	}
	if card.Cost != nil {
		cost.Epochs, cost.TrainingPasses = card.Cost.Epochs, card.Cost.Passes
	}
	if card.imported() { // unknown
		cost.Epochs, cost.TrainingPasses = 0, 0
	}
	if len(cells) > 0 {
		cost.PredictionPasses = cells[0].Samples
	}
	return cost, nil
}

// storedParameters returns the count of numbers that predictions of a filled configuration need:
// two for each latent of each component, and the weights or all their copies; 0 for a network that
// this program doesn't define.
func storedParameters(c Config, classes int) int {
	if c.Network.Undefined() != nil {
		return 0
	}
	network := c.Network.Architecture(classes)
	numbers := 2
	if c.Posthoc.Chains > 0 { // draws have no width
		numbers = 1
	}
	latents, copies := numbers*c.Posterior.Components*network.Latents(c.Posterior.Mode), 1
	if methods.HasSeveralWeights(c.Method) {
		copies = methods.Copies(c.Method, c.Training.Epochs)
	}
	return latents + network.Parameters*copies
}

// sameContent refuses two runs whose data sets have one name and different content, unless each
// takes a different part.
func sameContent(first, run *Run) error {
	a, err := first.Card()
	if err != nil {
		return err
	}
	b, err := run.Card()
	if err != nil {
		return err
	}
	if a.Data.Hash != b.Data.Hash && first.config.Data.First == run.config.Data.First {
		return fmt.Errorf("nbbnn: run %s was trained on %s with the hash %.12s, run %s with "+
			"%.12s: compare runs on the same images",
			run.directory, b.Data.Name, b.Data.Hash, first.directory, a.Data.Hash)
	}
	return nil
}
