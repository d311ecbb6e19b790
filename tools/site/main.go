// Command site writes the course as static pages, which need no kernel and no installation: the
// executed notebooks, the results, the pages of docs and the corruption explorer's, whose program
// make site adds. It's a separate module, so that the workbench doesn't depend on its renderers.
//
//	go -C tools/site run .
package main

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
)

//go:embed page.html
var frame string

// The sources in HTML: of the first page, and of the report, which has no frame.
const (
	homePage = "tools/site/home/home.html"
	report   = "docs/results/report.html"
)

var shell = template.Must(template.New("page").Parse(frame))

// Folders of the repository and of the site.
const (
	root = "../.."
	out  = root + "/out/site"
)

// lessons are their names in their order.
var lessons = strings.Fields("one-dimension 0 1 2 3 4 5 6 7 8 9 10 11")

// site holds the pages while they are written. Sources are paths from the root of the repository,
// pages from the site's, with slashes.
type site struct {
	pages    map[string]string   // page of each source
	pictures map[[32]byte]string // their places by the checksum of the source
	source   string              // that is written now
	markdown goldmark.Markdown
	problem  error // of a picture that couldn't be copied
}

func main() {
	s := &site{pages: map[string]string{}, pictures: map[[32]byte]string{}}
	s.markdown = newMarkdown(s)
	if err := s.write(); err != nil {
		fmt.Fprintln(os.Stderr, "site:", err)
		os.Exit(1)
	}
	fmt.Printf("wrote    %d pages in out/site: python3 -m http.server --directory out/site "+
		"serves them\n", len(s.pages))
}

// write writes all pages.
func (s *site) write() error {
	if err := s.find(); err != nil {
		return err
	}
	for _, s.source = range slices.Sorted(maps.Keys(s.pages)) {
		if err := errors.Join(s.writePage(), s.problem); err != nil {
			return fmt.Errorf("%s: %w", s.source, err)
		}
	}
	return errors.Join(s.putNetworks(), s.putHome())
}

// putNetworks copies the weights of the networks that answer on the explorer's page.
func (s *site) putNetworks() error {
	names, _ := fs.Glob(os.DirFS(root), "lab/explorer/networks/*.safetensors")
	for _, name := range names {
		weights, err := os.ReadFile(filepath.Join(root, name))
		if err = errors.Join(err, s.put("explorer/"+path.Base(name), weights)); err != nil {
			return err
		}
	}
	return nil
}

// find lists the home page, README.md, the licences, the pages of docs, the report, and the
// notebooks.
func (s *site) find() error {
	s.pages["README.md"], s.pages["NOTICES.md"] = "readme.html", "notices.html"
	s.pages[homePage], s.pages[report] = "index.html", report
	s.pages["tools/site/explorer/README.md"] = "explorer/index.html"
	notebooks, _ := fs.Glob(os.DirFS(root), "notebooks/*.ipynb") // fails for other patterns only
	for _, name := range notebooks {
		s.pages[name] = strings.TrimSuffix(name, ".ipynb") + ".html"
	}
	return fs.WalkDir(os.DirFS(root), "docs", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".md" {
			s.pages[name] = strings.TrimSuffix(strings.Replace(name, "README.md", "index.md", 1),
				".md") + ".html"
		}
		return err
	})
}

// writePage writes the page of the source.
func (s *site) writePage() error {
	text, err := os.ReadFile(filepath.Join(root, s.source))
	if err != nil {
		return err
	}
	if s.source == report {
		text, err = s.linked(text)
		return errors.Join(err, s.put(report, text))
	}
	if path.Ext(s.source) == ".ipynb" {
		if text, err = s.notebook(text); err != nil {
			return err
		}
	}
	var body, page bytes.Buffer
	name := s.pages[s.source]
	title, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(string(text)), "# "), "\n")
	if s.source == homePage {
		title = "node-BNN workbench"
		body.Write(text)
	} else if err := s.markdown.Convert(text, &body); err != nil {
		return err
	}
	err = shell.Execute(&page, map[string]any{
		"Title": title, "Up": relative(name, ""), "Body": template.HTML(body.String()),
		"Lessons": lessons, "Repository": repository, "Next": s.next(), "To": linksFrom(name),
	})
	return errors.Join(err, s.put(name, page.Bytes()))
}

// linksFrom returns what leads from a page to another, and marks the page itself.
func linksFrom(name string) func(target string) template.HTMLAttr {
	return func(target string) template.HTMLAttr {
		link := template.HTMLAttr(`href="` + relative(name, target) + `"`)
		if target == name {
			link += ` aria-current="page"`
		}
		return link
	}
}

// next returns the lesson after the source, "" after another page.
func (s *site) next() string {
	for i, lesson := range lessons[1:] {
		if path.Base(s.source) == "lesson-"+lessons[i]+".ipynb" {
			return lesson
		}
	}
	return ""
}

// put writes a file of the site.
func (s *site) put(name string, content []byte) error {
	place := filepath.Join(out, name)
	if err := os.MkdirAll(filepath.Dir(place), 0o755); err != nil {
		return err
	}
	return os.WriteFile(place, content, 0o644)
}

// putPicture writes a picture under a name, and returns it, or the name under which the site has
// the same picture already. A large PNG is written with 256 colours, unless that would be seen.
func (s *site) putPicture(name string, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	if kept, found := s.pictures[sum]; found {
		return kept, nil
	}
	s.pictures[sum] = name
	if len(content) > largePicture {
		content = withPalette(content)
	}
	return name, s.put(name, content)
}
