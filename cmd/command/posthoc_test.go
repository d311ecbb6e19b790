package command

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/safetensors"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn"
)

var ordinaryRuns testkit.Folders

// ordinaryRun puts a trained tiny ordinary network into runs and returns the run's name.
func ordinaryRun(t *testing.T, runs string) string {
	t.Helper()
	place := t.TempDir()
	ordinaryRuns.Copy(t, "run", place, func() { cardOf(t, tinyOrdinaryRun(place)...) })
	found, err := os.ReadDir(place)
	if err != nil || len(found) != 1 {
		t.Fatal(found, err)
	}
	name := found[0].Name()
	testkit.NoError(t, os.CopyFS(filepath.Join(runs, name), os.DirFS(filepath.Join(place, name))))
	return name
}

// cardOf executes a command that prints a card.
func cardOf(t *testing.T, args ...string) (card nbbnn.Card) {
	t.Helper()
	return printed[nbbnn.Card](t, exitDone, args...)
}

// stateDictionary writes the weights of a run as PyTorch would: without our metadata.
func stateDictionary(t *testing.T, runs, run string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "weights.safetensors")
	wantStatus(t, exitDone, "", "weights", "export", run, path, "--layout", "reference", "--runs",
		runs)
	tensors, _, err := safetensors.Read(path)
	if err == nil {
		err = safetensors.Write(path, tensors, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// A trained run becomes a node-BNN next to it, one for each set of flags, and no epochs leave the
// noise as it begins.
func TestPosthocOfARun(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	trained := cardOf(t, "posthoc", "--from", parent, "--init-std", "0.2", "--gamma", "2",
		"--epochs", "1", "--posterior-learning-rate", "0.1", "--runs", runs)
	if c := trained.Config; trained.Parent == nil || trained.Parent.Run != parent ||
		c.Posthoc.Run != parent || c.Objective.Gamma != 2 ||
		c.Training.Epochs != 1 || c.Training.Batch != 8 || c.Seed != 1 ||
		c.Posterior.PriorStd != 0.2 {
		t.Errorf("the card is %+v, want a posterior for run %s", trained, parent)
	}
	plan := printed[nbbnn.Cost](t, exitDone, "posthoc", "--from", parent, "--plan", "--epochs", "2",
		"--batch", "4", "--runs", runs)
	if left, _ := os.ReadDir(runs); plan.Steps != 2*trained.Data.Train/8 || len(left) != 2 {
		t.Errorf("the plan is %+v and leaves %v, want twice the steps and no run", plan, left)
	}
	fixed := cardOf(t, "posthoc", "--from", filepath.Join(runs, parent), "--init-std", "0.2",
		"--epochs", "0")
	if !fixed.Config.Posthoc.FixedNoise || fixed.Training.Epoch != 0 || fixed.Run == trained.Run {
		t.Errorf("without epochs the card is %+v, want another run with fixed noise", fixed)
	}
	wantStatus(t, exitDone, "", "evaluate", fixed.Run, "--samples", "2", "--images", "4", "--runs",
		runs)
	wantStatus(t, exitFailed, "has no training of its own, as an imported one or fixed noise",
		"report", fixed.Run, "--runs", runs)
	stdout, stderr, status := execute(t, "posthoc", "--from", parent, "--init-std", "0.2",
		"--epochs", "0", "--runs", runs)
	if status != exitDone || !strings.Contains(stdout, "parent   run "+
		parent+", method map, weights sha256 ") ||
		!strings.Contains(stdout, "noise of fixed standard deviation") {
		t.Errorf("status %d, %s; the text is %q, want the parent", status, stderr, stdout)
	}
}

// Nobody knows which files belong together, until they have labels: then they are seeds of one
// method, and so are noises on them, but no file is two of these.
func TestImportedFilesNeedLabels(t *testing.T) {
	addBlank(t)
	trained, runs := t.TempDir(), t.TempDir()
	flags := []string{"--network", "resnet18", "--width", "4", "--data", "shapes10", "--train",
		"24", "--test", "16", "--no-augmentation"}
	files := map[string]string{} // state dictionaries by their names
	imported := func(name, seed string) string {
		return cardOf(t, append([]string{"weights", "import", files[name[:2]], "--mode", "none",
			"--seed", seed, "--name", name, "--runs", runs}, flags...)...).Run
	}
	for i, name := range []string{"s1", "s2", "y3"} {
		training := []string{"train", "--mode", "none", "--seed", name[1:], "--epochs",
			strconv.Itoa(10 + i), "--batch", "8", "--learning-rate", "0.05"}
		own := cardOf(t, append(append(training, "--runs", trained), flags...)...).Run
		files[name] = stateDictionary(t, trained, own)
		imported(name, name[1:])
	}
	imported("s2.again", "4")
	imported("y3.seed1", "1")
	test := []string{"--runs", runs, "--suite", "fog", "--images", "4"}
	for _, parent := range []string{"s1", "s2", "s2.again"} {
		cardOf(t, "posthoc", "--from", parent, "--epochs", "0", "--runs", runs, "--name", "noise"+
			parent)
	}
	all := []string{"s1", "s2", "y3", "s2.again", "y3.seed1", "noises1", "noises2", "noises2.again"}
	wantStatus(t, exitDone, "", append(append([]string{"evaluate"}, all...), test...)...)
	for _, c := range []struct {
		runs, flags string
		status      int
		want        []string
	}{
		{"s1 s2 y3", "", exitDone, []string{"note     each imported file is a separate method",
			"1 of s1: ", "1 of s2: ", "1 of y3: "}},
		{"s1 s2 y3", "--label s?=S --label y3=Y", exitDone, []string{"!imported file", "2 of S: ",
			"1 of Y: "}},
		{"s1 s2 noises1 noises2", "--label s*=S --label noise*=N", exitDone,
			[]string{"2 of S: ", "2 of N: "}},
		{"s1 s2 noises1 noises2", "--label s?=S", exitDone,
			[]string{"2 of S: ", "2 of fixed noise: "}},
		{"s2 s2.again", "", exitDone, []string{"!each imported file"}},
		{"s1 s2", "--label *=S --label s2=T", exitUsage,
			[]string{`"S" and "T" are both for the method of run s2`}},
		{"noises1 noises2 noises2.again", "--label *=N", exitUsage,
			[]string{`two methods are called "N"`}},
		{"noises1 y3.seed1", "--baseline y3.seed1", exitDone,
			[]string{"noise is compared with the network under it"}},
		{"noises1 s1", "--baseline s1", exitDone, []string{"!noise is compared", "minus s1"}},
		{"noises1 noises2", "", exitDone, []string{"1 of noises1: ", "1 of noises2: "}},
		{"s1 y3.seed1", "--label *=S", exitFailed,
			[]string{`can't be seeds of "S", as they have one seed or the same weights`}},
		{"s2 s2.again", "--label *=S", exitFailed,
			[]string{`can't be seeds of "S", as they have one seed or the same weights`}},
	} {
		arguments := append(append([]string{"compare"}, strings.Fields(c.runs)...), test...)
		wantTexts(t, c.status, c.want, append(arguments, strings.Fields(c.flags)...)...)
	}
	out := t.TempDir()
	arguments := append([]string{"compare", "s1", "s2", "y3", "--label", "s*=S", "--colour",
		"s2=#123456", "--format", "svg", "--out", out}, test...)
	wantStatus(t, exitDone, "", arguments...)
	if picture := textOf(t, filepath.Join(out, "levels.svg")); !strings.Contains(picture,
		"#123456") {
		t.Error("the picture lacks the colour of the joined files")
	}
	table := textOf(t, filepath.Join(out, "tidy.csv"))
	if !strings.Contains(table, ",s1,S,") || !strings.Contains(table, ",s2,S,") ||
		!strings.Contains(table, ",y3,y3,") {
		t.Errorf("the tidy table has other methods than S and y3:\n%.300s", table)
	}
}

// A file of weights becomes a run, whose card names the file, and the node-BNN is its child. A
// normalisation with which the network recognises nothing is refused. No batch has to fit a network
// that isn't trained, whose epochs nobody knows.
func TestPosthocOfAFile(t *testing.T) {
	runs, other := t.TempDir(), t.TempDir()
	flags := []string{"--network", "resnet18", "--width", "4", "--data", "shapes10", "--train",
		"24", "--test", "16", "--no-augmentation"}
	parent := cardOf(t, append([]string{"train", "--mode", "none", "--epochs", "20", "--batch", "8",
		"--learning-rate", "0.05", "--runs", runs}, flags...)...).Run
	path := stateDictionary(t, runs, parent)
	imported := cardOf(t, append([]string{"weights", "import", path, "--method", "map", "--runs",
		t.TempDir()}, flags...)...)
	if imported.Config.Training.Batch != 24 {
		t.Errorf("the imported run has a batch of %d of 24 images", imported.Config.Training.Batch)
	}
	again := append([]string{"weights", "import", path, "--method", "map", "--runs", t.TempDir()},
		flags...)
	wantTexts(t, exitDone, []string{"test images, where a guess is on 90 %: check --normalisation"},
		append(again, "--normalisation", "0,0,0/0.01,0.01,0.01")...)
	wantStatus(t, exitUsage, "weights.safetensors doesn't say what it is: give --network",
		"weights", "import", path, "--data", "shapes10", "--runs", other)
	flags = append(flags, "--from", path, "--epochs", "0", "--init-std", "0.2", "--runs", other)
	card := cardOf(t, append([]string{"posthoc"}, flags...)...)
	if card.Parent == nil || card.Parent.Source != "imported from weights.safetensors" ||
		card.Config.Network.Width != 4 {
		t.Errorf("the card is %+v, want a parent that was imported", card)
	}
	// tested, too
	wantTexts(t, exitDone, []string{"trained", "%"}, "runs", "--where", "mode=none", "--runs",
		other)
	wantStatus(t, exitDone, "", "evaluate", card.Parent.Run, "--images", "4", "--runs", other)
	methods := printed[[]comparedMethod](t, exitDone, "compare", card.Parent.Run, "--runs", other)
	if cost := methods[0].Cost; cost.Epochs != 0 || cost.Parameters == 0 {
		t.Errorf("the imported network costs %+v, want no epochs", cost)
	}
	_, stderr, status := execute(t,
		append([]string{"posthoc", "--normalisation", "0,0,0/0.01,0.01,0.01"}, flags...)...)
	want := "if it was trained with another normalisation than 0,0,0/0.01,0.01,0.01, state it"
	if status != exitFailed || !strings.Contains(stderr, want) {
		t.Errorf("another normalisation: status %d and %q, want %q", status, stderr, want)
	}
	wantTexts(t, exitDone, []string{"!" + "not begun", "imported from weights.safetensors"}, "runs",
		"--runs", other)
	// which MAP has none of
	wantTexts(t, exitDone, []string{"fixed noise", "!MAP"}, "runs", "--where", "gamma=0", "--runs",
		other)
}

func TestPosthocRefuses(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	path := stateDictionary(t, runs, parent)
	pytorch := filepath.Join(t.TempDir(), "resnet18.pt")
	testkit.NoError(t, os.WriteFile(pytorch, []byte("PK\x03\x04\x00\x00\x08\x08archive/data.pkl"),
		0o644))
	for _, c := range []struct {
		name   string
		args   []string
		want   string
		status int
	}{
		{"nothing", nil, "--from is missing", exitUsage},
		{"no run", []string{"--from", "zzz"}, `no run "zzz"`, exitUsage},
		{"no file", []string{"--from", "zzz.safetensors"}, `no run "zzz.safetensors"`, exitUsage},
		{"a file of PyTorch", []string{"--from", pytorch}, "resnet18.pt is in PyTorch's own format",
			exitUsage},
		{"a file without a network", []string{"--from", path},
			"doesn't say what it is: give --network", exitUsage},
		{"another network", []string{"--from", parent, "--network", "vgg16"},
			"is allcnnc of width 2, not vgg16 of width 64", exitFailed},
		{"a normalisation", []string{"--from", parent, "--normalisation", "1,2"},
			"three means and three standard deviations", exitUsage},
		{"fixed noise with a gamma", []string{"--from", parent, "--epochs", "0", "--gamma", "3"},
			"--epochs 0 trains nothing, so --gamma 3 has no effect", exitUsage},
		{"a method", []string{"--from", parent, "--method", "sam"}, "unknown flag", exitUsage},
		{"a rate of weights", []string{"--from", parent, "--learning-rate", "0.1"},
			"--learning-rate 0.1 is for weights, which stay as they are", exitUsage},
		{"free weights without training", []string{"--from", parent, "--free-weights", "--epochs",
			"0"}, "--epochs 0 trains nothing, which doesn't go with --free-weights: leave it out",
			exitUsage},
		{"chains without transitions", []string{"--from", parent, "--chains", "2", "--epochs", "0"},
			"--epochs 0 trains nothing, which doesn't go with --chains", exitUsage},
		{"free weights of chains", []string{"--from", parent, "--chains", "2", "--free-weights"},
			"--chains and --free-weights exclude each other", exitUsage},
		{"leapfrog steps of nothing", []string{"--from", parent, "--leapfrog", "2"},
			"--leapfrog needs --chains", exitUsage},
		{"a large batch", []string{"--from", parent, "--batch", "999"}, "make no batch of 999, " +
			"the parent's unless another is given: give a batch of at most ", exitUsage},
		{"a plan of nothing", []string{"--from", parent, "--epochs", "0", "--plan"},
			"nothing to plan", exitUsage},
	} {
		wantStatus(t, c.status, c.want, append(append([]string{"posthoc"}, c.args...), "--runs",
			runs)...)
	}
}

// A flag that says how latents are trained is refused for fixed noise; how wide they are isn't.
func TestFixedNoiseHasNoObjective(t *testing.T) {
	for flag, refused := range map[string]bool{
		"--gamma=1": true, "--bound=exact": true, "--divergence=full": true,
		"--extra-entropy=conditional": true, "--scope=joint": true,
		"--samples=2": true, "--posterior-learning-rate=1": true, "--beta-epochs=1": true,
		"--augmentation=augmix": true,
		"--init-std=0.1":        false, "--components=2": false, "--mode=in": false,
		"--no-augmentation": false, "--batch=2": false,
	} {
		flags := pflag.NewFlagSet("posthoc", pflag.ContinueOnError)
		addPosthocFlags(flags)
		testkit.NoError(t, flags.Parse([]string{"--epochs=0", flag}))
		if err := (samplingFlags{}).check(flags); (err != nil) != refused {
			t.Errorf("%s: error %v, refused is wanted: %v", flag, err, refused)
		}
	}
}

func TestNormalisationFlag(t *testing.T) {
	for text, want := range map[string]dataset.Normalisation{
		"": {}, "none": {Std: [3]float64{1, 1, 1}},
		"0.5, 0.4,0.3/0.1,0.2,0.3": {Mean: [3]float64{0.5, 0.4, 0.3},
			Std: [3]float64{0.1, 0.2, 0.3}},
	} {
		var n, again normalisation
		if err := n.Set(text); err != nil || dataset.Normalisation(n) != want {
			t.Errorf("%q is %+v (%v), want %+v", text, n, err, want)
		}
		if err := again.Set(n.String()); err != nil || again != n {
			t.Errorf("%q comes back as %+v (%v), want %+v", n.String(), again, err, n)
		}
	}
	for _, text := range []string{"0.5", "1,2,3", "1,2,3/4,5", "a,b,c/1,2,3", "cifar"} {
		if err := new(normalisation).Set(text); err == nil {
			t.Errorf("%q is read without an error", text)
		}
	}
}

// A training that is refused leaves no folder with a name.
func TestRefusedTrainingLeavesNothing(t *testing.T) {
	runs, other := t.TempDir(), filepath.Join(t.TempDir(), "other")
	parent := cardOf(t, append(tinyOrdinaryRun(runs), "--epochs", "1")...).Run
	noise := cardOf(t, "posthoc", "--from", parent, "--epochs", "0", "--runs", runs, "--name",
		"noise").Run
	if label := textOf(t, filepath.Join(runs, noise, labelFile)); !strings.Contains(label,
		"noise") {
		t.Errorf("the label is %s", label)
	}
	train := []string{"train", "--config", filepath.Join(runs, noise, "config.json"), "--name", "x",
		"--runs", other}
	if _, stderr, status := execute(t, train...); status != exitFailed ||
		!strings.Contains(stderr, parent) {
		t.Errorf("status %d, %s", status, stderr)
	}
	if _, err := os.Stat(other); !os.IsNotExist(err) {
		t.Errorf("the directory of runs is there: %v", err)
	}
}

// The chains of a node-BNN are a run next to it, and flags that would change what is sampled are
// refused.
func TestPosthocSamples(t *testing.T) {
	runs := t.TempDir()
	parent := ordinaryRun(t, runs)
	wantStatus(t, exitUsage, "has no latents to sample", "posthoc", "--from", parent, "--chains",
		"2", "--runs", runs)
	q := cardOf(t, "posthoc", "--from", parent, "--epochs", "1", "--runs", runs).Run
	sampled := cardOf(t, "posthoc", "--from", q, "--chains", "2", "--leapfrog", "2", "--epochs",
		"30", "--components", "4", "--gamma", "3", "--runs", runs)
	if sampled.Sampling == nil || sampled.Sampling.Draws != 20 || sampled.Parent.Run != q ||
		sampled.Config.Objective.Gamma != 3 {
		t.Errorf("the card is %+v", sampled)
	}
	out := t.TempDir()
	for _, args := range [][]string{{"compare", q, sampled.Run, "--suite", "clean"},
		{"report", sampled.Run, "--out", out}} {
		wantTexts(t, exitDone, []string{"the chains don't mix: " + sampled.Run},
			append(args, "--runs", runs)...)
	}
	const columns = "epoch,log_likelihood,cross_entropy,beta,gamma,nll,error,seconds\n"
	if table := textOf(t, filepath.Join(out, "training.csv")); !strings.HasPrefix(table,
		columns+"0,,,0.000000,3.000000,,,0.000000\n1,-") {
		t.Errorf("want the columns %sand no value before the first transition:\n%.300s", columns,
			table)
	}
	for want, flags := range map[string][]string{
		"--mode in has no effect":       {"--chains", "2", "--mode", "in"},
		"--train 20 has no effect":      {"--chains", "2", "--train", "20"},
		"gamma -0.5 asks for":           {"--chains", "2", "--gamma", "-0.5"},
		"--chains is 1: give 2 or more": {"--chains", "1"},
		"holds samples of the latents":  {"--chains", "2", "--from", sampled.Run},
	} {
		wantStatus(t, exitUsage, want, append([]string{"posthoc", "--from", q, "--runs", runs},
			flags...)...)
	}
}
