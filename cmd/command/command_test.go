package command

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/testkit"
)

// execute runs a command line in this process.
func execute(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	return executeWith(t, t.Context(), args...)
}

func executeWith(t *testing.T, ctx context.Context, args ...string) (stdout, stderr string,
	status int) {
	t.Helper()
	var out, err bytes.Buffer
	status = run(ctx, args, streams{out: &out, err: &err})
	return out.String(), err.String(), status
}

// tinyRun are the flags of a run that trains in a moment.
func tinyRun(runs string) []string {
	return []string{
		"train", "--network", "allcnnc", "--width", "2", "--data", "shapes10", "--train", "32",
		"--test", "16", "--epochs", "2",
		"--batch", "8", "--samples", "1", "--init-std", "0.32", "--seed", "1", "--runs", runs,
	}
}

// tinyOrdinaryRun is tinyRun of a network without latents.
func tinyOrdinaryRun(runs string) []string {
	args := tinyRun(runs)
	at := slices.Index(args, "--init-std")
	return append(slices.Delete(args, at, at+2), "--method", "map")
}

func TestTrainPrintsTheCard(t *testing.T) {
	runs := t.TempDir()
	args := append(tinyRun(runs), "--json")
	first := wantStatus(t, exitDone, "plan     ", args...)
	card := cardOf(t, args...)
	if len(card.ConfigHash) != 64 || len(card.WeightsSHA256) != 64 ||
		!strings.HasPrefix(card.ConfigHash, card.Run) {
		t.Errorf("card is %+v, want two SHA-256 and a run named by the first", card)
	}
	// neither trains nor plans
	if again := wantTexts(t, exitDone, []string{"!epoch 2/2", "!plan     "},
		args...); again != first {
		t.Errorf("the second time the card is\n%s, want\n%s", again, first)
	}
}

// A test on clean images that is damaged is an error, of one run and of several.
func TestCardsOfADamagedTest(t *testing.T) {
	runs := t.TempDir()
	for _, seed := range []string{"1", "2"} {
		wantStatus(t, exitDone, "tested", append(tinyRun(runs), "--seed", seed)...)
	}
	plain := tinyRun(runs)
	seed := slices.Index(plain, "--seed")
	several := append(slices.Delete(slices.Clone(plain), seed, seed+2), "--seeds", "1..2")
	wantTexts(t, exitDone, []string{"note     2 runs hardly learnt: ", " (seed 1, ", " (seed 2, "},
		several...)
	cells, err := filepath.Glob(filepath.Join(runs, "*", "cells.csv"))
	if err != nil || len(cells) != 2 {
		t.Fatal(cells, err)
	}
	for _, path := range cells {
		testkit.NoError(t, os.WriteFile(path, []byte("damaged\n"), 0o644))
	}
	for _, args := range [][]string{plain, append(plain, "--json"), several,
		append(several, "--json")} {
		wantStatus(t, exitFailed, "cells.csv", append(args, "--no-test")...)
	}
}

func TestEvaluate(t *testing.T) {
	runs := t.TempDir()
	wantStatus(t, exitDone, "", tinyRun(runs)...)
	entries := testkit.Must(os.ReadDir(runs))(t)
	name := entries[0].Name()
	wantTexts(t, exitDone, []string{"NLL", "ScaledNLL", "Error %", "ECE", "gaussian noise",
		"jpeg compression", "scaled   temperature ", "wrote    " + filepath.Join(runs, name,
			"cells.csv")},
		"evaluate", name[:6], "--samples", "2", "--images", "4", "--runs", runs)
	result := evaluateJSON(t, filepath.Join(runs, name))
	if result.Run != name || len(result.Cells) != 41 {
		t.Errorf("run %s with %d cells, want %s with 41", result.Run, len(result.Cells), name)
	}
	wantStatus(t, exitDone, "read     "+filepath.Join(runs, name, "cells.csv"), "evaluate", name,
		"--samples", "2", "--images", "4", "--runs", runs)
	all := []string{"evaluate", name, "--samples", "2", "--runs", runs, "--corruptions", "fog"}
	wantStatus(t, exitDone, "not measured: fewer than 100 images", all...)
	wantStatus(t, exitDone, "", append(tinyRun(runs), "--test", "100", "--name", "hundred",
		"--no-test")...)
	all[1] = "hundred"
	wantTexts(t, exitDone, []string{"ScaledNLL", "each fitted to half of the 100 clean images"},
		all...)
}

func TestFigure(t *testing.T) {
	directory := t.TempDir()
	args := []string{
		"figure", "3", "--width", "2", "--epochs", "1", "--train", "32", "--seeds", "1", "--images",
		"2", "--samples", "1",
		"--runs", filepath.Join(directory, "runs"), "--out", filepath.Join(directory, "out"),
	}
	wantTexts(t, exitDone, []string{
		"level          0", "M16", "M32", "claim", "an illustration", "note     an illustration: " +
			"the smoke scale (allcnnc on shapes10-bright) gives no verdicts", "wrote",
		"engine   ", "plan     2 runs: M16 and M32, seed 1", "train ", "test ",
	}, append(args, "--parallel", "1")...)
	for _, extension := range []string{".png", ".csv", ".json"} {
		if info, err := os.Stat(filepath.Join(directory, "out", "figure-03"+
			extension)); err != nil || info.Size() == 0 {
			t.Errorf("figure-03%s isn't there: %v", extension, err)
		}
	}
	checkFigureJSON(t, args)
}

// A figure that runs out of time is stopped and saved, and its plan says what is missing.
func TestFigureStopsInTime(t *testing.T) {
	runs := t.TempDir()
	args := []string{"figure", "3", "--width", "2", "--epochs", "1", "--train", "32", "--seeds",
		"1", "--runs", runs, "--out", t.TempDir()}
	wantStatus(t, exitStopped, "M16 seed 1", append(args, "--parallel", "1", "--hours", "1e-12")...)
	wantStatus(t, exitStopped, " of 2 runs aren't done", append(args, "--parallel", "2", "--hours",
		"1e-12")...)
	run := plannedRun(t, args...)
	wantStatus(t, exitStopped, "", append(args, "--run", run, "--hours", "1e-12")...)
	stdout := wantStatus(t, exitDone, "plan     2 runs: M16 and M32, seed 1",
		append(args, "--plan")...)
	if strings.Count(stdout, "\n  M") != 2 {
		t.Errorf("%q, want a plan of two runs", stdout)
	}
	wantStatus(t, exitDone, "done     run "+run, append(args, "--images", "2", "--samples", "1",
		"--run", run)...)
	wantStatus(t, exitFailed, `no run "nothing"`, append(args, "--run", "nothing")...)
	if _, err := os.Stat(filepath.Join(runs, "..", "out")); err == nil {
		t.Error("the plan has written results")
	}
}

// plannedRun returns the directory of the first run of a figure.
func plannedRun(t *testing.T, figure ...string) string {
	t.Helper()
	return printed[planData](t, exitDone, append(figure, "--plan")...).Each[0].Directory
}

// Without a complete seed nothing is drawn, and one line says what is missing.
func TestFigureOfNoRuns(t *testing.T) {
	runs := t.TempDir()
	want := "figure 3 has no seed at the scale smoke whose runs in " +
		runs + " are all trained and evaluated (M16 seed 1: not begun"
	wantLine(t, exitFailed, want, "figure", "3", "--no-train", "--runs", runs, "--out", t.TempDir())
}

// The overview lists every figure with its runs, and creates nothing.
func TestPaperOverview(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	wantTexts(t, exitDone, []string{
		"A posterior with a higher entropy", "allcnnc, width 16, shapes10-bright", "0/4",
		"left     about", "(10, 11 and 13, 16 to 19, 20 to 24) are the same runs", "10, 14",
	}, "figure", "list", "--scale", "smoke", "--runs", runs)
	if _, err := os.Stat(runs); err == nil {
		t.Errorf("%s was created", runs)
	}
	overview := printed[struct {
		Figures []planData
	}](t, exitDone, "figure", "list", "--scale", "smoke", "--runs", runs)
	runsOf := map[int][]planRunData{}
	for _, figure := range overview.Figures {
		for _, run := range figure.Each {
			run.Name = "" // of the network and the data
			runsOf[figure.Figure] = append(runsOf[figure.Figure], run)
		}
		if figure.Figure == 3 && (figure.Runs != 4 || figure.Measured != 0 ||
			figure.Each[0].State != "missing") {
			t.Errorf("figure 3 is %+v, want 4 missing runs", figure)
		}
	}
	for _, same := range [][]int{{10, 11}, {10, 13}, {16, 17}, {16, 18}, {16, 19}, {20, 21},
		{20, 22}, {20, 23}, {20, 24}} {
		if !slices.Equal(runsOf[same[0]], runsOf[same[1]]) {
			t.Errorf("figures %d and %d haven't the same runs", same[0], same[1])
		}
	}
}

// A data set that isn't here is named with the command that gets it.
func TestPaperNamesMissingData(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	wantStatus(t, exitDone, "cifar10 isn't here: `nbbnn data get cifar10`", "figure", "list",
		"--scale", "desk", "--runs", t.TempDir())
}

// checkFigureJSON makes the figure again from its runs, as data.
func checkFigureJSON(t *testing.T, args []string) {
	t.Helper()
	wantTexts(t, exitDone, []string{"nothing left to do", "!img/s"}, args...)
	report := printed[struct {
		Test     string
		Verdicts []struct{ Outcome string }
		Runs     []struct {
			State string `json:"state_sha256"`
		}
	}](t, exitDone, args...)
	if !strings.HasPrefix(report.Test, "first8") || len(report.Verdicts) != 7 ||
		len(report.Runs) != 2 || len(report.Runs[0].State) != 64 {
		t.Errorf("report is %+v, want the test, 7 verdicts and 2 runs with their weights", report)
	}
}

func TestWrongUsage(t *testing.T) {
	for _, test := range []struct {
		args string
		want string
	}{
		{"corrupt show --corruptions fog --suite all19", "nbbnn corrupt show: --suite and " +
			"--corruptions exclude each other"},
		{"figur 3", `did you mean "figure"?`},
		{"figure lst", `figure "lst" isn't available`},
		{"figure", "it takes NUMBER"},
		{"figure three", `figure "three" isn't available: choose one of 1, 2`},
		{"figure 3 --scale smok", `did you mean "smoke"?`},
		{"figure 3 --scal smoke", "did you mean --scale?"},
		{"figure 3 --seeds -1", `--seeds is "-1": a figure takes seeds from 1 on`},
		{"figure 3 --seeds 0", "give their number, as in 5 or 1..5"},
		{"figure 3 --seeds 1,2,7", "give their number, as in 5 or 1..5"},
		{"figure 3 --images 0", "nbbnn figure: --images is 0: give 1 or more, or leave it out"},
		{"figure 3 --hours nan", "--hours is NaN: give a number above 0, or leave it out"},
		{"figure 3 --plan --hours 1", "--hours and --plan exclude"},
		{"figure 3 --plan --run 9f3c", "--plan and --run exclude"},
		{"figure 3 --run 9f3c --no-train", "--run and --no-train exclude"},
		{"figure 3 --plan --cards", "--plan and --cards exclude"},
		{"compare --suite clean --out o --colour a=#000000", "--suite clean takes no --colour"},
		{"weights import n.onnx --data shapes10 --compress 3", "leave --config, --preset and"},
		{"corrupt show a.png --index 3", "a.png is the image: leave --index out"},
		{"figure 3 --images 9999", "the test images 0 to 9998 are asked for"},
		{"figure 3 --suite first9", `did you mean "first8"?`},
		{"train --network allcn", `did you mean "allcnnc"?`},
		{"train -help", "unknown flag -help (did you mean --help?)"},
		{"train --gpu", "unknown flag --gpu (no flag chooses: `nbbnn doctor` says what computes)"},
		{"train --lr 1", "unknown flag --lr (did you mean --learning-rate?)"},
		{"sweep plan --gamma 0", "sweep plan: --manifest is missing, as in `nbbnn sweep plan"},
		{"corrupt rank secret", "secret given, it takes FOLDER ANSWERS.npz..."},
		{"data add birds . --size 3", "give 8 to 512 in height and in width"},
		{"train -epochs 3", "unknown flag -epochs (did you mean --epochs?): `nbbnn train --help`"},
		{"sweep plan --manifest m.json --gamma 0,x", `--gamma: "x" must be a number`},
		{"sweep plan --manifest m.json --gamma 0..2", `must be a number, or a list as 0,0.5,2`},
		{"sweep plan --manifest m.json --seeds a", `--seeds: "a" must be a non-negative integer`},
		{"train --seeds 1:3", "or a list as 1,2,7 or 1..5"},
		{"sweep plan --manifest m.json", "no flag says what to train: give some, as"},
		{"sweep plan --manifest m.json --gamma 1 --no-evaluation --suite fog",
			"--no-evaluation and --suite exclude each other"},
		{"train --precision x", `choose "" (the default), float32, bfloat16`},
		{"train -x", "unknown flag -x: `nbbnn train --help`"},
		{"train --batch-size 8", "(did you mean --batch?)"},
		{"data remove nosuch", `"nosuch" is no set that you added: `},
		{"train --epochs 0", "nbbnn train: --epochs is 0: give 1 or more, or leave it out"},
		{"train --learning-rate -0", "--learning-rate is -0: give a number above 0"},
		{"train --method mcdropout --dropout 0.0", "--dropout is 0: give a number above 0"},
		{"posthoc --from x --width 0", "--width is 0: give 1 or more"},
		{"evaluate x --images 0", "--images is 0: give 1 or more"},
		{"sweep plan --components 1,0 --manifest m.json", "--components is 0: give 1 or more"},
		{"sweep plan --epochs 1,0x0 --manifest m.json", "--epochs is 0x0: give 1 or more"},
		{"sweep plan --init-std .2,0 --manifest m.json", "--init-std is 0: give a number above 0"},
		{"train --width -3", "--width is -3: give 1 or more"},
		{"train --preset resnet18-cifar1000", `did you mean "resnet18-cifar100"?`},
		{"train --epochs two", `--epochs "two" is not a whole number: give one, as in --epochs=3`},
		{"train --gamma x", `--gamma "x" is not a number: give one, as in --gamma=0.5`},
		{"train --plan=x", `--plan "x" is not true or false: give one, as in --plan=false`},
		{"corrupt show --index NaN", `--index "NaN" is not a whole number: give one, as in `},
		{"corrupt show --index 9999999", "--index 9999999 is behind the test images of " +
			"shapes10-bright: give a number from 0 to 999"},
		{"corrupt show --index 9223372036854775807", "is behind the test images"},
		{"corrupt show nope", "nope doesn't exist: name a PNG, JPEG or WebP file, or a data"},
		{"train --latents [", `no layer with latents is called "["`},
		{"train --gamma 1e300", "gamma is 1e+300: give a number from -1 and below 1e38"},
		{"train --normalisation 0,0,0/0,0,0", `"0,0,0/0,0,0" isn't three means and three standard`},
		{"weights import x --class-map 1,x", `--class-map "1,x" is not a list of whole numbers: ` +
			"give one, as in --class-map=0,3"},
		{"weights import x --normalisation nope", `--normalisation: "nope" isn't three means and`},
		{"data verify nope", "`nbbnn data list` says what they are"},
		{"train --epochs 99999999999999999999", "not a whole number in the range of 64 bits"},
		{"train --train 1000000000", "it has at most 1,000,000"},
		{"figure 3 --hours 0", "--hours is 0: give a number above 0"},
		{"doctor x y", "x y given"},
		{"train --preset vgg16-cifar10 --config a.json", "choose one"},
		{"train --preset vgg16-cifar10 --compress 30 --epochs 30", "--compress and --epochs"},
		{"train --preset vgg16-cifar10 --compress 0", "--compress is 0: give 1 or more"},
		{"train --config missing.json", "missing.json"},
		{"evaluate nothing", `no run "nothing"`},
		{"data verfy shapes10", `did you mean "verify"?`},
		{"data verify shapes", `did you mean "shapes10"?`},
		{"data get", "no data set is named: choose cifar10, "},
		{"runs rm", "nothing given, it takes RUN..., as in `nbbnn runs rm 9f3c wide-prior`"},
		{"weights export", "it takes RUN [FILE], as in `nbbnn weights export 9f3c`"},
		{"weights export abcd f --out g", "f and --out g are two files"},
		{"weights import nothing.safetensors", "nothing.safetensors"},
		{"compare", "no runs: name runs"},
		{"data where cifr10", `did you mean "cifar10"?`},
	} {
		wantLine(t, exitUsage, test.want, append(strings.Fields(test.args), "--runs",
			t.TempDir())...)
	}
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o644))
	for _, command := range []string{"runs", "train", "evaluate x", "figure 3 --plan"} {
		wantLine(t, exitUsage, file+" is no folder of runs: choose one with --runs or the variable",
			append(strings.Fields(command), "--runs", file)...)
	}
	missing := filepath.Join(t.TempDir(), "rusn")
	for _, command := range []string{"runs", "runs --json", "runs name x y", "runs rm x",
		"evaluate --ensemble x y", "predict x y", "compare", "report x", "weights export x",
		"sweep status --manifest x"} {
		wantLine(t, exitUsage, "the folder of runs "+missing+" doesn't exist: give the one that "+
			"has them", append(strings.Fields(command), "--runs", missing)...)
		t.Setenv("NBBNN_RUNS", missing)
		wantLine(t, exitUsage, "the folder of runs "+missing+" doesn't exist",
			strings.Fields(command)...)
	}
}

func TestFailureAndStop(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	wantLine(t, exitUsage, "file", tinyRun(file)...)
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	runs := t.TempDir()
	_, stderr, status := executeWith(t, stopped, tinyRun(runs)...)
	if left, err := os.ReadDir(runs); status != exitStopped ||
		strings.Count(stderr, "stopped") != 1 ||
		!strings.Contains(stderr, "command starts again") || err != nil || len(left) > 0 {
		t.Errorf("a training stopped at once: status %d, %q, and %v (%v) are left; want %d and "+
			"nothing", status, stderr, left, err, exitStopped)
	}
	wantStatus(t, exitDone, "", tinyRun(runs)...)
}

func TestLists(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	for _, test := range []struct{ args, want string }{
		{"corrupt list", "gaussian_noise\n"},
		{"corrupt suites", "first8   gaussian_noise"},
		{"data where", os.Getenv("NBBNN_DATA")},
		{"data where cifar10-c", "CIFAR-10-C"},
		{"data list", "shapes10              ready"},
		{"data list", "cifar10-c             missing    2,918 MB  CIFAR-10-C"},
		{"data list --json", `"md5": "6ead634ace1f366d77e87078b465863c"`},
		{"data verify shapes10", "sha256"},
		{"doctor", "engine"},
		{"--version", "nbbnn "},
	} {
		wantStatus(t, exitDone, test.want, strings.Fields(test.args)...)
	}
}

// A flag of a text may be empty exactly if its help says what "" means.
func TestHelpSaysWhatEmptyMeans(t *testing.T) {
	var told []string
	for _, c := range allCommands(newRoot(streams{})) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if strings.Contains(f.Usage, `""`) {
				told = append(told, strings.TrimPrefix(c.CommandPath(), "nbbnn ")+" "+f.Name)
			}
		})
	}
	if slices.Sort(told); !slices.Equal(told, slices.Sorted(slices.Values(withEmpty))) {
		t.Errorf("the help explains \"\" of %q, and these may be empty: %q", told, withEmpty)
	}
	wantStatus(t, exitUsage, "--test is empty", "evaluate", "zzz", "--test", "")
	wantStatus(t, exitUsage, `no run "zzz"`, "evaluate", "zzz", "--part", "")
}

func TestEveryCommandHasAnExample(t *testing.T) {
	root := newRoot(streams{})
	for _, command := range root.Commands() {
		if command.Name() == "help" || command.Name() == "completion" {
			continue // cobra's own
		}
		for _, c := range append(command.Commands(), command) {
			if c.Example == "" || c.Short == "" {
				t.Errorf("%s has no example or no description", c.CommandPath())
			}
		}
	}
}

// Without CIFAR-10 the quick scale draws its images; the plan says so, and of other scales that
// they need it.
func TestPlanWithoutCIFAR10(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	for scale, want := range map[string]string{
		"quick": "CIFAR-10 isn't here, so runs on Shapes10 are looked for",
		"desk":  "cifar10 isn't here: `nbbnn data get cifar10` downloads it",
	} {
		wantStatus(t, exitDone, want, "figure", "3", "--scale", scale, "--plan", "--runs",
			t.TempDir())
	}
	wantStatus(t, exitFailed, "--no-train draws the existing runs", "figure", "3", "--scale",
		"desk", "--runs", t.TempDir(), "--out", t.TempDir())
	wantTexts(t, exitDone, []string{"CIFAR-10 isn't here, so runs on Shapes10 are looked for"},
		"figure", "list", "--scale", "quick", "--runs", t.TempDir())
}
