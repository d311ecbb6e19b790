package command

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/sources"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/paper"
)

// A figure at one of whose runs another process works is to be made again, which isn't a failure.
func TestFigureOfALockedRunIsToBeTriedAgain(t *testing.T) {
	runs := t.TempDir()
	figure, scale, err := figureFlags{scale: string(paper.Smoke), seeds: "1"}.parse("3")
	if err != nil {
		t.Fatal(err)
	}
	opened := testkit.Must(figure.Open(scale, paper.Options{Runs: runs}))(t)
	makeDirectory(t, opened[0].Run)
	unlock := testkit.Must(files.Lock(filepath.Join(opened[0].Directory(), "lock")))(t)
	defer unlock()
	stdout, stderr, status := execute(t, "figure", "3", "--seeds", "1", "--parallel", "1", "--runs",
		runs, "--out", t.TempDir())
	if want := "stopped  nbbnn: run " + opened[0].Directory(); status != exitStopped ||
		!strings.Contains(stderr, want) || stdout != "" {
		t.Errorf("status %d, %q and %q on standard output, want %d and %q", status, stderr, stdout,
			exitStopped, want)
	}
}

// asCommand is the environment variable with which the program of the tests is nbbnn: the processes
// that a test starts are.
const asCommand = "NBBNN_TEST_AS_COMMAND"

// TestMain keeps the speeds that plans measure out of the user's cache.
func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		Main()
	}
	os.Setenv(asCommand, "1")
	if folder, err := os.UserCacheDir(); err == nil && os.Getenv("GOCACHE") == "" {
		os.Setenv("GOCACHE", filepath.Join(folder, "go-build")) // for a test that builds a program
	}
	cache, err := os.MkdirTemp("", "cache")
	if err != nil {
		panic(err)
	}
	os.Setenv("XDG_CACHE_HOME", cache)
	status := m.Run()
	os.RemoveAll(cache)
	os.Exit(status)
}

func TestQuote(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"runs/9f3c2a/config.json", "runs/9f3c2a/config.json"},
		{"my runs", "'my runs'"},
		{"", "''"},
		{"it's", `'it'\''s'`},
		{"a$b", "'a$b'"},
		{"~/runs", "'~/runs'"},
		{"Läufe", "Läufe"},
	} {
		if got := quote(c.word); got != c.want {
			t.Errorf("Quote(%q) is %s, want %s", c.word, got, c.want)
		}
	}
}

// The name frost means the same textures to every command: those of `nbbnn data get frost`.
func TestTexturesByName(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	if err := os.Mkdir("frost", 0o755); err != nil { // not what the name means
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "made")
	for _, args := range [][]string{
		{"corrupt", "make", "--data", "shapes10", "--images", "2", "--out", out},
		{"corrupt", "show", "--data", "shapes10", "--out", out + ".png"},
	} {
		if _, stderr, status := execute(t,
			append(args, "--textures", "frost")...); status == exitDone || !strings.Contains(stderr,
			"`nbbnn data get frost`") {
			t.Errorf("%v: status %d, %q, want an error that says how to get the textures", args,
				status, stderr)
		}
	}
}

func TestCompletion(t *testing.T) {
	runs := t.TempDir()
	t.Setenv("NBBNN_DATA", t.TempDir())
	wantStatus(t, exitDone, "", append(tinyRun(runs), "--epochs", "1")...)
	run := onlyRun(t, runs)
	for _, c := range []struct {
		args string
		want string // a line of the answer
	}{
		{"train --preset all", "allcnnc-shapes10\n"},
		{"train --network vg", "vgg16\n"},
		{"train --data sha", "shapes10\nshapes10-bright\n"},
		{"evaluate --corruptions fog,sno", "fog,snow\n"},
		{"figure ", "4\n"},
		{"data get cifar10 cifar100", "cifar100\n"},
		{"data verify sha", "shapes10\nshapes10-bright\n"},
		{"data remove ", ":4\n"},
		{"report " + run[:3], run + "\tallcnnc, width 2, shapes10, gamma 0, seed 1\n"},
		{"evaluate ", run + "\t"},
		{"compl", "completion\t"},
	} {
		words := append([]string{"__complete", "--runs", runs}, strings.Split(c.args, " ")...)
		stdout, stderr, status := execute(t, words...)
		if status != exitDone || !strings.Contains("\n"+stdout, "\n"+c.want) {
			t.Errorf("nbbnn %s<Tab>: status %d, %q, %s; want %q", c.args, status, stdout, stderr,
				c.want)
		}
	}
	given := filepath.Base(run)
	if stdout, _, _ := execute(t, "__complete", "compare", "--runs", runs, given,
		""); strings.Contains(stdout, given) {
		t.Errorf("a run that was given is offered again: %q", stdout)
	}
}

// With --json every command prints data, and nothing else, on standard output.
func TestEveryCommandPrintsJSON(t *testing.T) {
	t.Setenv("NBBNN_DATA", t.TempDir())
	t.Chdir(t.TempDir())
	handIn(t, "ann.npz", make([]uint8, 10), func(int) float32 { return 0.1 })
	drawFolder(t, "pictures", 12)
	_, record := recordedTiny(t, tinyRun)
	complete := testkit.Must(sources.ByName("frost"))(t)
	folder, missing := complete.Find(os.Getenv("NBBNN_DATA"))
	for _, name := range missing {
		testkit.NoError(t, errors.Join(os.MkdirAll(folder, 0o755),
			os.WriteFile(filepath.Join(folder, name), nil, 0o644)))
	}
	const tiny = " --network allcnnc --width 2 --data shapes10 --train 32 --test 16 --epochs 1 " +
		"--batch 8 --samples 1"
	var tested []string
	for _, line := range []string{
		"doctor", "train --method map --name parent" + tiny, "posthoc --from parent --epochs 0",
		"runs",
		"runs name parent old", "evaluate old --corruptions fog --samples 2 --images 4",
		"predict old pictures/left/00.png", "compare old", "report old",
		"weights export old old.safetensors", "weights import old.safetensors --runs imported",
		"figure 3 --width 2 --epochs 1 --train 32 --seeds 1 --images 2 --samples 1 --cards --out " +
			"results/figure-03",
		"figure list --scale smoke", "figure table 1", "figure gallery results",
		"sweep plan --manifest m.json --seeds 1 --suite fog --evaluation-samples 2 " +
			"--evaluation-images 4" + tiny,
		"sweep run --manifest m.json", "sweep point --manifest m.json --index 0",
		"sweep status --manifest m.json",
		"sweep submit --manifest m.json --engine slurm --dry-run",
		"data add sides pictures --size 24", "data where", "data list", "data verify sides",
		"data get frost", "data remove sides",
		"corrupt list", "corrupt suites",
		"corrupt make --data shapes10 --images 2 --suite fog --out made",
		"corrupt rank made ann.npz",
		"corrupt show --data shapes10 --suite fog", "runs rm old --yes", "verify " + record,
	} {
		stdout, stderr, status := execute(t, append(strings.Fields(line), "--json")...)
		decoder, values := json.NewDecoder(strings.NewReader(stdout)), 0
		var err error
		for err == nil {
			if err = decoder.Decode(new(any)); err == nil {
				values++
			}
		}
		if status != exitDone || values == 0 || err != io.EOF {
			t.Errorf("%s: status %d, %d values, %v:\n%s%s", line, status, values, err, stdout,
				stderr)
		}
		tested = append(tested, "nbbnn "+line)
	}
	for _, command := range allCommands(newRoot(streams{out: io.Discard, err: io.Discard})) {
		is := func(line string) bool {
			return strings.HasPrefix(line+" ", command.CommandPath()+" ")
		}
		isOurs := !is("nbbnn help") && !strings.HasPrefix(command.CommandPath(), "nbbnn completion")
		if isOurs && !command.HasSubCommands() && !slices.ContainsFunc(tested, is) {
			t.Errorf("%s isn't tested: add a line", command.CommandPath())
		}
	}
}

// leaning are words that refer to the text of another flag.
var leaning = regexp.MustCompile(
	`(?i)^(only |while )?(those|that|these|they|them|this|it|its|of|which)\b|\bthe same as --|\bof (that|those)\b`)

// The help of a flag says what the flag takes, and stands alone: no word in back quotes is taken
// for the type of its value, and no text leans on that of another flag.
func TestHelpOfEveryFlagStandsAlone(t *testing.T) {
	count := 0
	for _, command := range allCommands(newRoot(streams{out: io.Discard, err: io.Discard})) {
		command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			count++
			kind, usage := pflag.UnquoteUsage(flag)
			if usage != flag.Usage {
				t.Errorf("%s --%s: the help takes %q for the type: %s", command.CommandPath(),
					flag.Name, kind, flag.Usage)
			}
			if leaning.MatchString(usage) && !flag.Hidden {
				t.Errorf("%s --%s: the help leans on another flag: %s", command.CommandPath(),
					flag.Name, usage)
			}
		})
	}
	if count < 150 {
		t.Errorf("%d flags were found, want 150 or more", count)
	}
}

// The help shows the flags that people use, in groups, and --help-all shows all.
func TestHelpShowsTheUsualFlags(t *testing.T) {
	short, _, status := execute(t, "train", "--help")
	all, _, statusAll := execute(t, "train", "--help-all")
	for _, group := range []string{"\nData:\n", "\nNetwork:\n", "\nPosterior:\n", "\nTraining:\n"} {
		if !strings.Contains(short, group) || !strings.Contains(all, group) {
			t.Errorf("the help has no group %q:\n%s", group, short)
		}
	}
	for _, flag := range []string{"--swag-rank int", "Options of sam and asam:", "--keep-every"} {
		if strings.Contains(short, flag) || !strings.Contains(all, flag) {
			t.Errorf("%s is in the short help, or not in the long one", flag)
		}
	}
	if shown := len(regexp.MustCompile(`(?m)^ +(-\w, )?--`).FindAllString(short, -1)); shown > 20 ||
		status != exitDone || statusAll != exitDone {
		t.Errorf("the short help shows %d flags, want 20 at most; status %d and %d", shown, status,
			statusAll)
	}
	wantTexts(t, exitDone, []string{"--normalisation", "!--swag-rank"}, "weights", "import",
		"--help")
	wantTexts(t, exitDone, []string{"--normalisation", "--swag-rank"}, "weights", "import",
		"--help-all")
}

// The data set is looked for before anything is computed.
func TestTrainLooksForTheDataFirst(t *testing.T) {
	t.Setenv("NBBNN_DATA", filepath.Join(t.TempDir(), "empty"))
	runs := t.TempDir()
	_, stderr, status := execute(t, "train", "--network", "allcnnc", "--width", "2", "--data",
		"cifar10", "--runs", runs)
	if status == exitDone || strings.Contains(stderr, "plan     ") ||
		!strings.Contains(stderr, "cifar10") {
		t.Errorf("status %d, %q: want an error about cifar10 and no plan before it", status, stderr)
	}
	if left, err := os.ReadDir(runs); err != nil || len(left) > 0 {
		t.Errorf("%v (%v) is left, want nothing", left, err)
	}
}

func onlyRun(t *testing.T, runs string) string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(runs, "*", "config.json"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%d runs, error %v, want one", len(names), err)
	}
	return filepath.Base(filepath.Dir(names[0]))
}

// A folder that results can't be written into is refused in one line, before any work.
func TestUnwritableOutIsRefusedFirst(t *testing.T) {
	folder := t.TempDir()
	file, runs := filepath.Join(folder, "file"), filepath.Join(folder, "runs")
	testkit.NoError(t, os.WriteFile(file, nil, 0o600))
	out := filepath.Join(file, "out")
	tiny := []string{"figure", "3", "--width", "2", "--epochs", "1", "--train", "32", "--seeds",
		"1", "--images", "2", "--samples", "1"}
	for _, command := range [][]string{
		tiny, append(tiny, "--parallel", "2"), append(tiny, "--cards"), append(tiny, "--no-train"),
		{"compare", "any"},
	} {
		runs := runs
		if command[0] == "compare" { // which only reads them
			runs = t.TempDir()
		}
		for _, want := range []string{"nbbnn " + command[0] + ": can't write results into " +
			out + ": ", "choose another one with --out"} {
			wantLine(t, exitFailed, want, append(command, "--runs", runs, "--out", out)...)
		}
	}
	if _, err := os.Stat(runs); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("runs were made (%v)", err)
	}
}

// The check makes no folder for work that is then refused.
func TestRefusedWorkLeavesNoOut(t *testing.T) {
	folder := t.TempDir()
	for _, command := range [][]string{{"figure", "3", "--no-train"}, {"compare", "none"}} {
		_, stderr, status := execute(t, append(command, "--runs", filepath.Join(folder, "runs"),
			"--out", filepath.Join(folder, "a", "out"))...)
		if status == exitDone || strings.Contains(stderr, "can't write results") {
			t.Errorf("%v: status %d, %q, want another error", command, status, stderr)
		}
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 {
		t.Errorf("%v (%v) are left, want nothing", entries, err)
	}
}

// A word that names no command gets the nearest one, within another command, too.
func TestUnknownCommands(t *testing.T) {
	for words, want := range map[string]string{
		"wieghts export": `unknown command "wieghts" (did you mean "weights"?)`,
		"import a.npz":   `unknown command "import" (did you mean "weights import"?)`,
		"data mend":      `unknown command "mend"`,
		"version":        `unknown command "version" (did you mean --version?)`,
		"help trian":     `unknown command "trian" (did you mean "train"?)`,
		"help data gte":  `unknown command "gte" (did you mean "get"?)`,
		"completion bsh": `unknown command "bsh" (did you mean "bash"?)`,
	} {
		wantStatus(t, exitUsage, want, strings.Fields(words)...)
	}
	wantStatus(t, exitDone, "nbbnn train --preset", "help", "train")
	wantStatus(t, exitDone, "nbbnn data add", "help", "data", "add")
}
