package main

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

func notices(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../NOTICES.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// Every module that the program contains is on the page, in its version.
func TestNoticesNameEveryModule(t *testing.T) {
	page := notices(t)
	format := "{{with .Module}}{{.Path}} {{.Version}}{{end}}"
	output, err := exec.Command("go", "list", "-deps", "-f", format, "../../cmd/nbbnn").Output()
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(output)) {
		path, version, found := strings.Cut(strings.TrimSpace(line), " ")
		if !found || path == ours {
			continue
		}
		version = strings.TrimSuffix(version, "+incompatible")
		row := regexp.MustCompile(`(?m)^\| ` + regexp.QuoteMeta(path) + `(/\S+)? \| ` +
			regexp.QuoteMeta(version) + ` \|`)
		if !row.MatchString(page) {
			t.Errorf("NOTICES.md has no %s %s: run make notices", path, version)
		}
	}
}

// Every Python package that it lists has the version of the lock file, and none is missing but
// those for other systems.
func TestNoticesNameEveryPythonPackage(t *testing.T) {
	page := notices(t)
	locked, err := os.ReadFile("../../notebooks/requirements.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range regexp.MustCompile(
		`(?m)^([A-Za-z0-9._-]+)==(\S+)( ;.*)?`).FindAllStringSubmatch(string(locked), -1) {
		elsewhere := strings.Contains(match[3], "win32") || strings.Contains(match[3], "'nt'") ||
			strings.Contains(match[3], "Windows") || strings.Contains(match[3], "darwin") ||
			strings.Contains(match[3], "python_full_version")
		if !elsewhere && !strings.Contains(page, "| "+match[1]+" | "+match[2]+" |") {
			t.Errorf("NOTICES.md has no %s %s: run make notices", match[1], match[2])
		}
	}
}

// Choices that only a person can make are said.
func TestNoticesSayTheChoices(t *testing.T) {
	page := notices(t)
	for _, want := range []string{"Creative Commons Attribution 4.0", "FreeType licence",
		"| github.com/ajstarks/svgo |", "| FTL (our choice",
		"SIL OPEN FONT LICENSE", "| Go, runtime and standard library |"} {
		if !strings.Contains(page, want) {
			t.Errorf("NOTICES.md doesn't say %q", want)
		}
	}
}
