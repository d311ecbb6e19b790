package command

import (
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/testkit"
)

// The commands printed in README.md and on the pages in docs have the flags and arguments that they
// are shown with.
func TestCommandsOfPagesParse(t *testing.T) {
	pages, err := filepath.Glob(filepath.Join("..", "..", "docs", "*.md"))
	if err != nil || len(pages) == 0 {
		t.Fatalf("pages %v (%v)", pages, err)
	}
	count := 0
	for _, page := range append(pages, filepath.Join("..", "..", "README.md"),
		filepath.Join("..", "..", "CONTRIBUTING.md")) {
		for _, line := range commandsOf(t, page) {
			count++
			if err := parses(line); err != nil {
				t.Errorf("%s: %s: %v", filepath.Base(page), line, err)
			}
		}
	}
	if count < 50 {
		t.Errorf("%d commands were found, want 50 or more", count)
	}
}

// shownCommand is a line of a code block that calls nbbnn, perhaps after other commands.
var shownCommand = regexp.MustCompile(
	`^ {4}(?:\$ )?(?:[^#]*(?:[|;&(]|\btime) *)?(?:bin/)?nbbnn ([a-z].*)$`)

// commandsOf returns the arguments of the calls of nbbnn in the code blocks of a page, one a line.
func commandsOf(t *testing.T, page string) (commands []string) {
	t.Helper()
	text := testkit.Must(os.ReadFile(page))(t)
	joined := strings.ReplaceAll(string(text), "\\\n", " ")
	for _, line := range strings.Split(joined, "\n") {
		if match := shownCommand.FindStringSubmatch(line); match != nil {
			commands = append(commands, match[1])
		}
	}
	return commands
}

// shellWord is a word of a command line, or a character that ends the command.
var shellWord = regexp.MustCompile(
	`(?:[^\s'"|;&<>()#]|'[^']*'|"[^"]*")(?:[^\s'"|;&<>()]|'[^']*'|"[^"]*")*|[|;&<>()#]`)

// parses reports an error if a command line has an unknown command or flag, or wrong arguments.
func parses(line string) error {
	var words []string
	for _, word := range shellWord.FindAllString(line, -1) {
		if strings.Contains("|;&<>()#", word) {
			break
		}
		words = append(words, strings.NewReplacer("'", "", `"`, "").Replace(word))
	}
	root := newRoot(streams{out: io.Discard, err: io.Discard})
	root.InitDefaultCompletionCmd()
	command, rest, err := root.Find(words)
	if err != nil {
		return err
	}
	if err := command.ParseFlags(rest); err != nil {
		return command.FlagErrorFunc()(command, err)
	}
	if err := command.ValidateRequiredFlags(); err != nil {
		return err
	}
	return command.ValidateArgs(command.Flags().Args())
}

// The records that pages of results name are there: a folder of them is no run.
func TestPagesNameRecords(t *testing.T) {
	root, count := filepath.Join("..", ".."), 0
	pages := testkit.Must(filepath.Glob(filepath.Join(root, "docs", "results", "*", "*.md")))(t)
	command := regexp.MustCompile("`nbbnn [^`]* (docs/results/[^` ]+)[^`]*`")
	braces := regexp.MustCompile(`{[^}]*}`)
	for _, page := range pages {
		text := string(testkit.Must(os.ReadFile(page))(t))
		for _, match := range command.FindAllStringSubmatch(text, -1) {
			count++
			pattern := filepath.Join(root, braces.ReplaceAllString(match[1], "*"))
			found := testkit.Must(filepath.Glob(pattern))(t)
			if len(found) == 0 || filepath.Ext(found[0]) != files.RecordEnding {
				t.Errorf("%s: %s names %d files, want records", page, match[1], len(found))
			}
		}
	}
	if count < 3 {
		t.Errorf("%d commands were found, want 3 or more", count)
	}
}

func TestWrongCommandsOfPages(t *testing.T) {
	for _, line := range []string{"trian --seed 1", "train --sed 1", "train runs",
		"sweep run --parallel 2", "sweep plan --gamma 1", "evaluate 9f3c --samples many | head"} {
		if parses(line) == nil {
			t.Errorf("%q parses", line)
		}
	}
	testkit.NoError(t,
		parses(`sweep submit --engine slurm --manifest 'm.json' -- --partition=short # ($5)`))
}

// The method that docs/developing.md adds compiles with its test.
func TestMethodOfThePageCompiles(t *testing.T) {
	root := testkit.Must(filepath.Abs("../.."))(t)
	page := textOf(t, "../../docs/developing.md")
	blocks := regexp.MustCompile("(?s)```go\n(package methods.*?)```").FindAllStringSubmatch(page,
		-1)
	if len(blocks) != 2 {
		t.Fatalf("%d files of package methods, want the method and its test", len(blocks))
	}
	named := regexp.MustCompile("const Clipped .*").FindString(page)
	option := regexp.MustCompile("Norm float64 `.*`").FindString(page)
	replaced := func(name, what, by string) string {
		return strings.Replace(textOf(t, filepath.Join(root, name)), what, by, 1)
	}
	overlay := map[string]map[string]string{"Replace": {}}
	for name, content := range map[string]string{
		"internal/methods/clip.go": blocks[0][1], "internal/methods/clip_test.go": blocks[1][1],
		"internal/methods/definition.go": replaced("internal/methods/definition.go",
			"dampDefinition(),", "dampDefinition(),\nclipDefinition(),"),
		"nbbnn/baseline/method.go": replaced("nbbnn/baseline/method.go", "type Method struct {",
			named+"\ntype Method struct {\n"+option),
	} {
		path := filepath.Join(t.TempDir(), filepath.Base(name))
		testkit.NoError(t, os.WriteFile(path, []byte(content), 0o644))
		overlay["Replace"][filepath.Join(root, name)] = path
	}
	path := filepath.Join(t.TempDir(), "overlay.json")
	testkit.NoError(t, os.WriteFile(path, testkit.Must(json.Marshal(overlay))(t), 0o644))
	if output, err := exec.Command("go", "vet", "-overlay", path,
		"../../internal/methods").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, output)
	}
}
