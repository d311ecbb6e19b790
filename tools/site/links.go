package main

import (
	"cmp"
	"errors"
	"image/png"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

const repository = "https://github.com/nbbnn/workbench"

// newMarkdown returns a renderer of GitHub's Markdown that keeps HTML and leads links to the site.
func newMarkdown(s *site) goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID(),
			parser.WithASTTransformers(util.Prioritized(s, 1))),
		goldmark.WithRendererOptions(html.WithUnsafe()),
	)
}

// Transform changes where the links and pictures of a document lead.
func (s *site) Transform(document *ast.Document, _ text.Reader, _ parser.Context) {
	s.problem = ast.Walk(document, func(node ast.Node, entering bool) (_ ast.WalkStatus,
		err error) {
		if link, found := node.(*ast.Link); found && entering {
			link.Destination, err = s.link(string(link.Destination))
		} else if picture, found := node.(*ast.Image); found && entering {
			target := path.Join(path.Dir(s.source), string(picture.Destination))
			picture.SetAttributeString("class", []byte(reach(screenWidth(target))))
			picture.Destination, err = s.link(string(picture.Destination))
		}
		return ast.WalkContinue, err
	})
}

// link returns where a link of the source leads on the site: to a page, to a picture or the claims,
// which it copies, or to the repository.
func (s *site) link(destination string) ([]byte, error) {
	address, err := url.Parse(destination)
	if err != nil || address.Scheme != "" || address.Path == "" {
		return []byte(destination), err
	}
	target := path.Join(path.Dir(s.source), address.Path)
	if address.Path = s.pageOf(target); address.Path == "" && (path.Ext(target) == ".png" ||
		path.Ext(target) == ".svg" || path.Base(target) == "claims.json") {
		picture, err := os.ReadFile(filepath.Join(root, target))
		if err != nil {
			return nil, err
		}
		if address.Path, err = s.putPicture(target, picture); err != nil {
			return nil, err
		}
	}
	if address.Path == "" {
		return []byte(repository + "/blob/main/" + target + address.String()), nil // its fragment
	}
	address.Path = relative(s.pages[s.source], address.Path)
	return []byte(address.String()), nil
}

var reference = regexp.MustCompile(`(?:href|src)="([^"]+)"`)

// linked returns HTML whose links and pictures lead to the site.
func (s *site) linked(text []byte) (led []byte, err error) {
	end := 0
	for _, place := range reference.FindAllSubmatchIndex(text, -1) {
		destination, failure := s.link(string(text[place[2]:place[3]]))
		err = errors.Join(err, failure)
		led, end = append(append(led, text[end:place[2]]...), destination...), place[3]
	}
	return append(led, text[end:]...), err
}

// screenWidth returns the width of a PNG of the repository on a screen, half of its pixels; 0 of
// another file.
func screenWidth(target string) int {
	file, err := os.Open(filepath.Join(root, target))
	if err != nil {
		return 0
	}
	defer file.Close()
	config, err := png.DecodeConfig(file)
	if err != nil {
		return 0
	}
	return config.Width / 2
}

// pageOf returns the page of a file or folder, or "".
func (s *site) pageOf(target string) string {
	notebook := strings.TrimSuffix(target, ".md") + ".ipynb"
	return cmp.Or(s.pages[target], s.pages[path.Join(target, "README.md")], s.pages[notebook])
}

// relative returns the link from a page to another file of the site.
func relative(from, to string) string {
	return strings.Repeat("../", strings.Count(from, "/")) + to
}
