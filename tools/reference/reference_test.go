package main

import (
	"os"
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
		t.Fatalf("%d pages of %d packages (%v)", count, len(packages), err)
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
	for _, want := range []string{"corrupt", "dataset", "lab", "nbbnn", "nbbnn/baseline", "nbbnn/network", "nbbnn/score", "paper", "report", "sweep", "viz"} {
		if !slices.Contains(paths, want) {
			t.Errorf("no page of %s in %v", want, paths)
		}
	}
	if golden, err := filepath.Glob("../../viz/testdata/*_golden.png"); err != nil || pictures != len(golden) || examples < pictures {
		t.Errorf("%d pictures of %d examples, want the %d of package viz (%v)", pictures, examples, len(golden), err)
	}
	checkLinks(t, out)
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
