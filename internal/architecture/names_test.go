package architecture

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// elsewhere are names that other projects have or a reader makes, and words that look like names.
var elsewhere = []string{
	"docs.astral.sh", "brew.sh", "pkg.go", "make_cifar_c.py", "make_tinyimagenet_c.py",
	"mine/main.go", "answer.py", "_test.go",
	"v3.s", "v31.s", "v8.s", // registers of NEON
	"--execute", "--repo", // of nbconvert and gh
	"TestCount", // a field of dataset.Config
	"internal/methods/clip.go", "internal/methods/clip_test.go", "--clip-norm",
	"TestClipStepsAlongAShorterGradient", // of the method in docs/developing.md
}

var (
	fileName   = regexp.MustCompile(`[\w./-]*(?:\w\.(?:go|py|sh)|\w{2}\.s)\b`)
	makeTarget = regexp.MustCompile("(?m)(?:`|^    )g?make ([a-z-]+)")
	testName   = regexp.MustCompile(`\b(?:Test|Fuzz|Benchmark)[A-Z]\w+`)
	flagName   = regexp.MustCompile(`(?:^|[^\w-])--([a-z][a-z0-9-]+)`)
	comment    = regexp.MustCompile(`(?m)(?:^|\s)//(?:[^\n"]*)$`)
	goal       = regexp.MustCompile(`(?m)^([a-z-]+):`)
	testHead   = regexp.MustCompile(`(?m)^(?:func|class) ((?:Test|Fuzz|Benchmark)\w+)`)
)

// Each file, test, flag and target of make that a page or a comment names exists. The changelog
// tells of former ones, and the pages of the specification of files that aren't here.
func TestNamesThatPagesUseExist(t *testing.T) {
	code := codeOf(t)
	names := 0
	for page, text := range markdown(t) {
		if page == "CHANGELOG.md" || page == "NOTICES.md" || strings.HasPrefix(page, "docs/spec/") {
			continue
		}
		names += code.look(t, page, text)
		for _, flag := range flagName.FindAllStringSubmatch(text, -1) {
			if names++; !code.hasFlag(flag[1]) {
				t.Errorf("%s names the flag --%s, which no program here has", page, flag[1])
			}
		}
	}
	for file, text := range code.texts {
		if path.Ext(file) == ".go" && file != "internal/architecture/names_test.go" {
			names += code.look(t, file, strings.Join(comment.FindAllString(text, -1), "\n"))
		}
	}
	if names < 500 {
		t.Errorf("%d names found, want 500 or more: are they recognized?", names)
	}
}

// Names that nothing has are found, in a page and in a comment.
func TestNamesThatNothingHas(t *testing.T) {
	code := sourceCode{files: []string{"viz/axis.go"}, targets: []string{"test"},
		tests: []string{"TestAxis"}, words: `"--severity"`}
	const page = "`viz/axis.go` axis.go ../viz/axis.go `viz/axes.go` `make test` " +
		"`make test-going`\n    gmake demo\n" +
		"TestAxis TestAxes, which make sense"
	got := strings.Join(code.unknown("docs/page.md", page), " ")
	if want := "viz/axes.go make test-going make demo TestAxes"; got != want {
		t.Errorf("unknown are %s, want %s", got, want)
	}
	if !code.hasFlag("severity") || code.hasFlag("sever") {
		t.Error("of --severity and --sever, the first alone is a flag")
	}
	if got := comment.FindAllString("x := \"a//b\" // see c.go\n// d.go\n", -1); len(got) != 2 {
		t.Errorf("comments %q, want 2", got)
	}
}

// sourceCode is what names are looked up in.
type sourceCode struct {
	files, targets, tests []string
	texts                 map[string]string // of Go, Python and shell files and the Makefile
	words                 string            // all texts
}

// look reports the unknown names of a text and returns how many it found.
func (c sourceCode) look(t *testing.T, file, text string) int {
	t.Helper()
	for _, name := range c.unknown(file, text) {
		t.Errorf("%s names %s, which doesn't exist", file, name)
	}
	return len(fileName.FindAllString(text, -1)) + len(makeTarget.FindAllString(text, -1)) +
		len(testName.FindAllString(text, -1))
}

// unknown returns the names of files, targets and tests in a text that nothing has.
func (c sourceCode) unknown(file, text string) (names []string) {
	for _, name := range fileName.FindAllString(text, -1) {
		if !c.hasFile(file, name) {
			names = append(names, name)
		}
	}
	for _, match := range makeTarget.FindAllStringSubmatch(text, -1) {
		if !slices.Contains(c.targets, match[1]) {
			names = append(names, "make "+match[1])
		}
	}
	for _, name := range testName.FindAllString(text, -1) {
		if !slices.Contains(c.tests, name) && !slices.Contains(elsewhere, name) {
			names = append(names, name)
		}
	}
	return names
}

// hasFile reports whether a file has that name: from the root, from where it's named, or at its
// end.
func (c sourceCode) hasFile(from, name string) bool {
	name = strings.TrimPrefix(name, "//")
	if _, err := os.Stat(filepath.Join(root, path.Dir(from), name)); err == nil {
		return true
	}
	end := "/" + strings.TrimLeft(name, "./")
	return slices.Contains(elsewhere, name) || slices.ContainsFunc(c.files, func(file string) bool {
		return strings.HasSuffix("/"+file, end)
	})
}

// hasFlag reports whether a program declares a flag, or passes it to another one.
func (c sourceCode) hasFlag(name string) bool {
	return slices.Contains(elsewhere, "--"+name) ||
		regexp.MustCompile(`(?:"|--)`+name+`(?:[^\w-]|$)`).MatchString(c.words)
}

// codeOf reads the repository's sources.
func codeOf(t *testing.T) sourceCode {
	t.Helper()
	code := sourceCode{texts: map[string]string{}}
	var words strings.Builder
	eachFile(t, func(name, file string) error {
		code.files = append(code.files, name)
		if name != "Makefile" && !slices.Contains([]string{".go", ".py", ".sh"}, path.Ext(name)) {
			return nil
		}
		text, err := os.ReadFile(file)
		code.texts[name] = string(text)
		words.Write(text)
		return err
	})
	code.words = words.String()
	code.tests = firstGroups(testHead, code.words)
	code.targets = firstGroups(goal, code.texts["Makefile"])
	return code
}

func firstGroups(pattern *regexp.Regexp, text string) (groups []string) {
	for _, match := range pattern.FindAllStringSubmatch(text, -1) {
		groups = append(groups, match[1])
	}
	return groups
}
