package nbbnn

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Runs that differ only in the seed are one method, named by its difference from the others.
func TestCompare(t *testing.T) {
	directory := t.TempDir()
	config := briefConfig()
	evaluation := Evaluation{Samples: 2, Images: 4}
	var runs []*Run
	var first []score.Cells
	for _, c := range []struct {
		seed  uint64
		gamma float64
	}{{2, 1}, {1, 1}, {1, 8}} {
		config.Seed, config.Objective.Gamma = c.seed, c.gamma
		run := trainedRun(t, directory, config)
		runs = append(runs, run)
		refused(t, "Compare", "misses 41 of 41 cells")(Compare(runs, evaluation, ""))
		cells := testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
		first = append(first, cells)
	}
	compared := testkit.Must(Compare(runs, evaluation, ""))(t)
	methods := compared.Methods
	if len(methods) != 2 || methods[0].Name != "gamma 1" || methods[1].Name != "gamma 8" ||
		len(methods[0].Seeds) != 2 || methods[0].Seeds[0] != 1 {
		t.Fatalf("methods are %+v, want gamma 1 with the seeds 1 and 2, and gamma 8", methods)
	}
	if got, want := methods[0].Runs, []string{filepath.Base(runs[1].Directory()),
		filepath.Base(runs[0].Directory())}; !slices.Equal(got, want) {
		t.Errorf("the first method's runs are %v, want %v in the order of the seeds", got, want)
	}
	tables := testkit.Must(compared.Tables())(t)
	want := score.Summarise([]float64{first[0][0].NLL, first[1][0].NLL})
	if tables[0].NLL[0] != want || tables[0].Runs != 2 || tables[1].NLL[0].N != 1 {
		t.Errorf("clean NLL of the first method is %v, want %v", tables[0].NLL[0], want)
	}
	refused(t, "Compare", "once")(Compare(append(runs, runs[0]), evaluation, ""))
	refused(t, "Compare", "is missing")(Compare(runs, evaluation, "all19"))
	weights := testkit.Must(runs[0].Card())(t).WeightsSHA256
	own := testkit.Must(runs[1].Card())(t).WeightsSHA256
	rewriteCard(t, runs[1], func(c *Card) { c.WeightsSHA256 = weights })
	const twice = "have the same weights, so they aren't two seeds"
	refused(t, "one network as two seeds", twice)(Compare(runs, evaluation, ""))
	refused(t, "one network twice in an ensemble", twice)(OpenEnsemble(directory, runs[:2]...))
	rewriteCard(t, runs[1], func(c *Card) { c.WeightsSHA256 = own })
	rewriteCard(t, runs[1], func(c *Card) { c.Data.Hash = "0" + c.Data.Hash })
	refused(t, "other images", filepath.Base(runs[1].directory)+
		" was trained on shapes10 with the hash 0")(Compare(runs, evaluation, ""))
	testkit.Must(Compare(runs[1:], evaluation, ""))(t)
}

// Seeds that were tested on images of their own are compared, methods of one seed on the same
// images.
func TestCompareOnOwnImages(t *testing.T) {
	directory, config := t.TempDir(), briefConfig()
	var runs []*Run
	var nll []float64
	for seed, first := range []int{0, 4, 8} {
		config.Seed = uint64(seed)
		run := trainedRun(t, directory, config)
		cells := testkit.Must(run.Evaluate(t.Context(), Evaluation{Samples: 2, Images: 4,
			First: first}, nil))(t)
		runs, nll = append(runs, run), append(nll, cells[0].NLL)
	}
	for _, run := range runs {
		evaluation := testkit.Must(run.Card())(t).Evaluation.Evaluation
		tables := testkit.Must(testkit.Must(Compare(runs, evaluation, ""))(t).Tables())(t)
		if want := score.Summarise(nll); tables[0].NLL[0] != want {
			t.Errorf("clean NLL is %v, want %v", tables[0].NLL[0], want)
		}
	}
	again := testkit.Must(runs[1].Evaluate(t.Context(), Evaluation{Samples: 2, Images: 4}, nil))(t)
	of := testkit.Must(Compare(runs[1:], Evaluation{Samples: 2, Images: 4, First: 8}, ""))(t)
	if got := testkit.Must(of.Tables())(t)[0].NLL[0]; got != score.Summarise([]float64{again[0].NLL,
		nll[2]}) {
		t.Errorf("of two tests of seed 1 not the one on the first images is compared: %v", got)
	}
	config.Objective.Gamma++
	other := trainedRun(t, directory, config)
	testkit.Must(other.Evaluate(t.Context(), Evaluation{Samples: 2, Images: 4}, nil))(t)
	refused(t, "other images of a seed", "was tested on images from place 0 on, another of seed "+
		"2 from 8 on")(Compare(append(runs, other), Evaluation{Samples: 2, Images: 4}, ""))
}

// Seeds that were trained on images of their own are one method; two runs of a seed that were
// trained on other images aren't compared.
func TestCompareTrainedOnOwnImages(t *testing.T) {
	directory, evaluation := t.TempDir(), Evaluation{Samples: 2, Images: 4}
	train := func(seed uint64, place int) *Run {
		config := briefConfig()
		config.Seed, config.Data.First = seed, place
		run := trainedRun(t, directory, config)
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
		return run
	}
	runs := []*Run{train(1, 0), train(2, 100), train(3, 200)}
	tables := testkit.Must(testkit.Must(Compare(runs, evaluation, ""))(t).Tables())(t)
	if len(tables) != 1 || tables[0].NLL[0].N != 3 {
		t.Errorf("three seeds are %+v, want one method", tables)
	}
	refused(t, "other training images of a seed", "was trained on images from place 300 on, "+
		"another of seed 2 from 100 on")(Compare(append(runs, train(2, 300)), evaluation, ""))
}

// Posthoc runs of parents that differ only in the seed are one method over the seeds, apart from
// those of fixed noise and those of other parents.
func TestComparePosthocOverSeeds(t *testing.T) {
	directory := t.TempDir()
	evaluation := Evaluation{Suite: "fog", Samples: 2, Images: 4}
	var parents, runs []*Run
	for _, c := range []struct {
		seed  uint64
		rate  float64
		fixed bool
	}{{1, 0.01, false}, {2, 0.01, false}, {1, 0.01, true}, {2, 0.01, true}, {3, 0.02, false}} {
		config := ordinaryConfig()
		config.Seed, config.Training.Epochs, config.Training.LearningRate = c.seed, 1, c.rate
		parent := trainedRun(t, directory, config)
		own := testkit.Must(PosthocOf(parent))(t)
		own.Training.Epochs, own.Posthoc.FixedNoise = 1, c.fixed
		run := trainedRun(t, directory, own)
		testkit.Must(run.Evaluate(t.Context(), evaluation, nil))(t)
		runs = append(runs, run)
		if c.fixed {
			continue // its parent is there already
		}
		testkit.Must(parent.Evaluate(t.Context(), evaluation, nil))(t)
		parents = append(parents, parent)
	}
	compared := testkit.Must(Compare(runs, evaluation, ""))(t)
	if len(compared.Methods) != 3 {
		t.Fatalf("%d methods, want 3", len(compared.Methods))
	}
	for i, want := range [][]uint64{{1, 2}, {1, 2}, {3}} {
		if got := compared.Methods[i]; !slices.Equal(got.Seeds, want) {
			t.Errorf("method %q has the seeds %v, want %v", got.Name, got.Seeds, want)
		}
	}
	plain := testkit.Must(Compare(parents, evaluation, ""))(t)
	for _, method := range append(plain.Methods, compared.Methods...) {
		hasParent := method.Settings.(Config).Posthoc.isSet()
		if cost, known := method.Cost(); !known || cost.Posthoc != hasParent {
			t.Errorf("the cost of %s is %+v, with a parent: %v", method.Name, cost, hasParent)
		}
	}
	// Several noises on one network are seeds of a method that pairs with that network alone.
	again := runs[2].config // fixed noise on the first parent
	again.Seed = 2
	more := trainedRun(t, directory, again)
	testkit.Must(more.Evaluate(t.Context(), evaluation, nil))(t)
	pairs := func(ofParents bool, runs ...*Run) (places []int) {
		t.Helper()
		noises, others := testkit.Must(Compare(runs, evaluation, ""))(t).Methods, plain.Methods
		if !ofParents {
			others = compared.Methods
		}
		equal(t, "methods of noises", len(noises), 1)
		for k := range runs {
			places = append(places, others[0].Pair(noises[0], k))
		}
		return places
	}
	for _, c := range []struct {
		ofParents bool
		runs      []*Run
		want      []int
	}{
		{true, runs[2:4], []int{0, 1}}, {false, runs[2:4], []int{0, 1}}, // one on each network
		{true, []*Run{runs[2], more}, []int{0, -1}}, {false, []*Run{runs[2], more}, []int{-1, -1}},
		{true, []*Run{more}, []int{-1}},
	} {
		if got := pairs(c.ofParents, c.runs...); !slices.Equal(got, c.want) {
			t.Errorf("noises of seeds %v pair with runs %v, want %v", c.runs[0].config.Seed, got,
				c.want)
		}
	}
	equal(t, "the settings name the parent", compared.Methods[0].Settings.(Config).Posthoc.Run,
		runs[0].config.Posthoc.Run)
}

// Imported files are methods of their own, named by their runs, until they are joined; of these
// none may have the seed or the weights of another.
func TestImportedFilesAreMethods(t *testing.T) {
	file := func(seed uint64, weights, joined string) *Run {
		config := ordinaryConfig().WithDefaults()
		// nothing was trained with it
		config.Seed, config.Imported, config.Training.Batch = seed, weights, 8+int(seed)
		config.Network.Name, config.Network.Fingerprint = "graph_"+weights, weights
		run := &Run{config: config, directory: config.RunName()}
		run.Join(joined)
		return run
	}
	// the last is the first again
	apart := []*Run{file(0, "a", ""), file(1, "b", ""), file(2, "a", ""), file(0, "a", "")}
	groups := testkit.Must(groupsOf(apart))(t)
	for i, run := range apart {
		equal(t, "the first run", groups.firstOf(run), apart[i%3])
		settings := groups.scored(run).Settings.(Config)
		equal(t, "the name of the file", settings.Imported, run.config.RunName()[:8])
		equal(t, "a training that nobody knows", settings.Training, Training{})
	}
	joined := []*Run{file(0, "a", "S"), file(1, "b", "S"), file(0, "c", "Y"), file(0, "a", "S")}
	groups = testkit.Must(groupsOf(joined))(t)
	for i, first := range []int{0, 0, 2, 0} {
		equal(t, "the first run of a joined one", groups.firstOf(joined[i]), joined[first])
		equal(t, "the name of the joined files",
			groups.scored(joined[i]).Settings.(Config).Imported, joined[i].joined)
	}
	for _, other := range []*Run{file(1, "c", "S"), file(2, "b", "S")} {
		refused(t, "a file twice",
			`can't be seeds of "S", as they have one seed or the same weights`)(
			groupsOf(append(joined[:2:2], other)))
	}
	for i, run := range joined[:2] { // of other sizes, as two files may be
		name := fmt.Sprintf("of_size_%d", i)
		testkit.NoError(t, network.Define(name, func(b *network.Builder) network.Value {
			return b.Image().AveragePool().Dense(network.Dense{Features: b.Classes() + i}).Dense(
				network.Dense{Features: b.Classes()})
		}, network.Defaults{Width: 4, Epochs: 1, Batch: 8, LearningRate: 0.1}))
		run.config.Network = Network{Name: name}
		run.config = run.config.WithDefaults()
	}
	refused(t, "files of two networks", "as they are networks of other sizes")(groupsOf(joined))
}

// A label on one seed of a network of one's own takes it from no other.
func TestLabelKeepsTrainedSeedsTogether(t *testing.T) {
	var runs []*Run
	for seed := range uint64(2) {
		config := ordinaryConfig().WithDefaults()
		config.Seed, config.Network.Name, config.Network.Fingerprint = seed, "own", "f"
		runs = append(runs, &Run{config: config, directory: config.RunName()})
	}
	runs[0].Join("ours")
	groups := testkit.Must(groupsOf(runs))(t)
	equal(t, "the first run of both", groups.firstOf(runs[1]), runs[0])
}
