// Command notices writes NOTICES.md: the licences of everything that the programs and the images of
// the workbench contain. `make notices` starts it with the reports of go-licenses and a list of the
// Python packages:
//
//	notices NOTICES.md python.json report.csv...
package main

import (
	"cmp"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"log"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) < 4 {
		log.Fatal("notices: give the page to write, the list of Python packages and the reports " +
			"of go-licenses")
	}
	if err := write(os.Args[1], os.Args[2], os.Args[3:]); err != nil {
		log.Fatal("notices: ", err)
	}
}

func write(page, python string, reports []string) error {
	libraries := map[string]library{}
	for _, report := range reports {
		if err := readReport(libraries, report); err != nil {
			return err
		}
	}
	packages, err := readPackages(python)
	if err != nil {
		return err
	}
	program, err := goItself()
	if err != nil {
		return err
	}
	libraries[program.name+" "+program.version] = program
	text, err := pageOf(slices.SortedFunc(maps.Values(libraries), byName), packages)
	if err != nil {
		return err
	}
	return files.WriteBytes(page, []byte(text))
}

// library is a Go module, or a part of one with a separate licence.
type library struct {
	name, version, licence string
	files                  []string // of its licences
}

func byName(a, b library) int {
	return cmp.Or(strings.Compare(a.name, b.name), strings.Compare(a.version, b.version))
}

// ours begins the names of the workbench's own modules.
const ours = "github.com/nbbnn/workbench"

// readReport adds the libraries of a report, whose lines are name, version, licence and file.
func readReport(libraries map[string]library, report string) error {
	file, err := os.Open(report)
	if err != nil {
		return err
	}
	defer file.Close()
	lines, err := csv.NewReader(file).ReadAll()
	if err != nil {
		return fmt.Errorf("%s: %w", report, err)
	}
	for _, line := range lines {
		if len(line) != 4 {
			return fmt.Errorf("%s: %q has %d fields, want name, version, licence and file", report,
				line, len(line))
		}
		l := library{line[0], line[1], line[2], []string{line[3]}}
		if strings.HasPrefix(l.name, ours) {
			continue
		}
		if l.licence == "" || l.licence == "Unknown" {
			if l, err = l.readByUs(); err != nil {
				return fmt.Errorf("%s: %w", report, err)
			}
		}
		if more, has := extraTexts[l.name]; has {
			l.licence += ", " + more.licence
			l.files = append(l.files, filepath.Join(filepath.Dir(l.files[0]), more.file))
		}
		libraries[l.name+" "+l.version] = l
	}
	return nil
}

// extraTexts are the second licences of modules, of which go-licenses reports the first.
var extraTexts = map[string]read{
	"codeberg.org/go-fonts/liberation": {"OFL-1.1 (the fonts)", "LICENSE-SIL"},
}

// goItself returns Go's runtime and standard library, which all programs contain.
func goItself() (library, error) {
	output, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return library{}, fmt.Errorf("the folder of Go: %w", err)
	}
	return library{
		name: "Go, runtime and standard library", version: "that of the build",
		licence: "BSD-3-Clause",
		files:   []string{filepath.Join(strings.TrimSpace(string(output)), "LICENSE")},
	}, nil
}

// read is a module's licence that we read, as go-licenses doesn't know it.
type read struct{ licence, file string }

var readModules = map[string]read{
	"github.com/ajstarks/svgo": {"CC-BY-4.0", "LICENSE"},
	"github.com/golang/freetype": {"FTL (our choice: the authors offer FTL or GPL-2.0-or-later)",
		"licenses/ftl.txt"},
	"github.com/segmentio/asm": {"MIT-0", "LICENSE"},
}

// readByUs returns the module of a library with the licence that we read.
func (l library) readByUs() (library, error) {
	for module, r := range readModules {
		if l.name == module || strings.HasPrefix(l.name, module+"/") {
			output, err := exec.Command("go", "mod", "download", "-json", module+"@"+
				l.version).Output()
			if err != nil {
				return l, fmt.Errorf("the folder of %s: %w", module, err)
			}
			var downloaded struct{ Dir string }
			err = json.Unmarshal(output, &downloaded)
			return library{module, l.version, r.licence,
				[]string{filepath.Join(downloaded.Dir, r.file)}}, err
		}
	}
	return l, fmt.Errorf("go-licenses doesn't know the licence of %s %s: read it and add it to "+
		"readModules", l.name, l.version)
}

type pythonPackage struct{ Name, Version, Licence string }

func readPackages(file string) (all []pythonPackage, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, p := range all {
		if p.Licence == "" {
			return nil, fmt.Errorf("%s: %s has no licence: read it and add it to python.py", file,
				p.Name)
		}
	}
	return all, nil
}

const heading = `# Notices

The programs and images of the workbench contain the works below. ` + "`make notices`" + ` writes this page: go-licenses reads the
licences of the Go modules, the Python packages say their own. The workbench itself is under Apache-2.0: [LICENSE](LICENSE).

Three need a word. codeberg.org/go-fonts/liberation contains the Liberation fonts, which are under the SIL Open Font License 1.1.
github.com/ajstarks/svgo, which gonum/plot draws SVG with, is by Anthony Starks, under the Creative Commons Attribution 4.0 licence;
it is used unchanged. github.com/golang/freetype offers a choice of two licences, of which we take the FreeType licence: portions of
this software are copyright 2010 The FreeType Project (www.freetype.org), all rights reserved.

The programs also contain Go's runtime and standard library. Images contain the packages of Debian, whose licences are in
/usr/share/doc there. The image for GPUs also contains NVIDIA's libraries, under NVIDIA's own terms, which each package brings
(docker/cuda.txt names the packages).

`

// pageOf returns the page: a table of the Go libraries, one of the Python packages, and the texts
// of the licences of the libraries, each text once.
func pageOf(libraries []library, packages []pythonPackage) (string, error) {
	var text strings.Builder
	text.WriteString(heading + "## Go modules\n\nLinked into `nbbnn`, notebook cells, GoNB, " +
		"goimports or gopls; texts below.\n\n| module | version | licence |\n|--|--|--|\n")
	for _, l := range libraries {
		fmt.Fprintf(&text, "| %s | %s | %s |\n", l.name, l.version, l.licence)
	}
	text.WriteString("\n## Python packages\n\nInstalled in the images; each brings its text in " +
		"its dist-info folder.\n\n| package | version | licence |\n|--|--|--|\n")
	for _, p := range packages {
		fmt.Fprintf(&text, "| %s | %s | %s |\n", p.Name, p.Version, p.Licence)
	}
	text.WriteString("\n## Texts\n")
	if err := addTexts(&text, libraries); err != nil {
		return "", err
	}
	return text.String(), nil
}

// addTexts adds each different text with the names of its libraries.
func addTexts(page *strings.Builder, libraries []library) error {
	var order []string
	users := map[string][]string{}
	for _, l := range libraries {
		for _, file := range l.files {
			content, err := os.ReadFile(file)
			if err != nil {
				return fmt.Errorf("the licence of %s: %w", l.name, err)
			}
			text := strings.TrimSpace(strings.ReplaceAll(string(content), "\r\n", "\n"))
			if users[text] == nil {
				order = append(order, text)
			}
			users[text] = append(users[text], l.name+" "+l.version)
		}
	}
	for _, text := range order {
		fmt.Fprintf(page, "\n### %s\n\n", strings.Join(users[text], ", "))
		for line := range strings.Lines(text) {
			page.WriteString(strings.TrimRight("    "+strings.TrimRight(line, " \t\n"), " ") + "\n")
		}
	}
	return nil
}
