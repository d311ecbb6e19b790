package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every public package has a page with all its names and examples, every picture of an example is
// there, and every link inside leads to something. There are no scripts.
func TestReference(t *testing.T) {
	out := t.TempDir()
	count, err := write("../..", out)
	if err != nil {
		t.Fatal(err)
	}
	packages, err := readPackages("../..")
	if err != nil || count != len(packages) {
		t.Fatalf("%d pages of %d packages, error %v", count, len(packages), err)
	}
	var paths []string
	pictures, examples := 0, 0
	for _, p := range packages {
		paths = append(paths, p.path)
		text := read(t, filepath.Join(out, p.page()))
		for _, name := range p.names() {
			if !strings.Contains(text, `id="`+name+`"`) {
				t.Errorf("%s lacks %s", p.page(), name)
			}
		}
		pictures += len(p.pictures)
		examples += len(p.examples())
		if got := strings.Count(text, "<details"); got != len(p.examples()) {
			t.Errorf("%s has %d examples, want %d", p.page(), got, len(p.examples()))
		}
		if got := strings.Count(text, "<img"); got != len(p.pictures) {
			t.Errorf("%s has %d pictures, want %d", p.page(), got, len(p.pictures))
		}
		if strings.Contains(text, "<script") || strings.Contains(text, "ZgotmplZ") {
			t.Errorf("%s has a script, or an address that the template refuses", p.page())
		}
	}
	if want := publicPackages(t); !slices.Equal(paths, want) {
		t.Errorf("pages of %v, want %v", paths, want)
	}
	if golden, err := filepath.Glob("../../viz/testdata/*_golden.png"); err != nil || pictures != len(golden) || examples < pictures {
		t.Errorf("%d pictures of %d examples, want the %d of package viz (%v)", pictures, examples, len(golden), err)
	}
	checkLinks(t, out)
}

// publicPackages returns the module's packages that others can import, as `go list` has them.
func publicPackages(t *testing.T) (paths []string) {
	t.Helper()
	command := exec.Command("go", "list", "-f", "{{.Name}} {{.ImportPath}}", "./...")
	command.Dir = "../.."
	listed, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	notPublic := regexp.MustCompile(`(^|/)internal/|^(` + strings.Join(slices.Concat(programs, ignored), "|") + `)(/|$)|(^|/)work(/|$)`)
	for line := range strings.Lines(string(listed)) {
		name, imported, _ := strings.Cut(strings.TrimSpace(line), " ")
		folder := strings.TrimPrefix(imported, module+"/")
		if name != "main" && !notPublic.MatchString(folder) {
			paths = append(paths, folder)
		}
	}
	slices.Sort(paths)
	return paths
}

// No folder that git ignores has pages.
func TestIgnoredFoldersAreNotPublic(t *testing.T) {
	folders := regexp.MustCompile(`(?m)^/?(\w+)/$`).FindAllStringSubmatch(read(t, "../../.gitignore"), -1)
	if len(folders) < 5 {
		t.Errorf(".gitignore names the folders %v, want 5 or more", folders)
	}
	for _, folder := range folders {
		if isPublic(folder[1]) {
			t.Errorf("git ignores %s, but its packages are published", folder[1])
		}
	}
}

// Programs and what git ignores have no pages, and a package that can't be read is an error.
func TestReadPackages(t *testing.T) {
	root := t.TempDir()
	add := func(path, text string) {
		t.Helper()
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	add("mine/main.go", "package main\n")
	add("own/main.go", "package main\n")
	add("out/x/x.go", "package x\n")
	add("score/testdata/x.go", "package x\n")
	add("score/data/data.go", "package data\n")
	add("score/score.go", "package score\n")
	add("score/README.md", "Scores\n")
	packages, err := readPackages(root)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, p := range packages {
		paths = append(paths, p.path)
	}
	if want := []string{"score", "score/data"}; !slices.Equal(paths, want) {
		t.Errorf("packages %v, want %v", paths, want)
	}
	add("score/stray.go", "package stray\n")
	if _, err := readPackages(root); err == nil || !strings.Contains(err.Error(), "stray") {
		t.Errorf("two packages in a folder: error %v, want one that names them", err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// checkLinks follows the links between the pages of a folder.
func checkLinks(t *testing.T, folder string) {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(folder, "*.html"))
	if err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	for _, page := range pages {
		for _, found := range link.FindAllStringSubmatch(read(t, page), -1) {
			if strings.HasPrefix(found[1], "https://pkg.go.dev/") {
				continue
			}
			name, anchor, _ := strings.Cut(found[1], "#")
			target := page
			if name != "" {
				target = filepath.Join(folder, name)
			}
			if text := read(t, target); anchor != "" && !strings.Contains(text, `id="`+anchor+`"`) {
				t.Errorf("%s: the link %s leads nowhere", filepath.Base(page), found[1])
			}
		}
	}
}
