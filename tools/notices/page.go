package main

import (
	"fmt"
	"os"
	"strings"
)

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
	text.WriteString(heading + "## Go modules\n\nLinked into `nbbnn`, notebook cells, GoNB, goimports or gopls; texts below.\n\n| module | version | licence |\n|--|--|--|\n")
	for _, l := range libraries {
		fmt.Fprintf(&text, "| %s | %s | %s |\n", l.name, l.version, l.licence)
	}
	text.WriteString("\n## Python packages\n\nInstalled in the images; each brings its text in its dist-info folder.\n\n| package | version | licence |\n|--|--|--|\n")
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
		for _, file := range []string{l.file, l.extra} {
			if file == "" {
				continue
			}
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
