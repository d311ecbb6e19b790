package main

import (
	"bytes"
	_ "embed"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"html/template"
	"regexp"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
)

//go:embed pages.tmpl
var pageText string

var pages = template.Must(template.New("pages").Parse(pageText))

// writePage writes a page by the template of a name.
func writePage(path, name string, data any) error {
	var text bytes.Buffer
	if err := pages.ExecuteTemplate(&text, name, data); err != nil {
		return err
	}
	return files.WriteBytes(path, text.Bytes())
}

// Path returns the package's path in the module.
func (p *packageDoc) Path() string { return p.path }

// Page returns the name of the package's page.
func (p *packageDoc) Page() string { return p.page() }

// Synopsis returns the first sentence of the package's documentation.
func (p *packageDoc) Synopsis() string { return p.Package.Synopsis(p.Doc) }

// Text returns a doc comment as HTML.
func (p *packageDoc) Text(text string) template.HTML {
	printer := p.Printer()
	printer.HeadingLevel = 3
	printer.DocLinkURL = func(link *comment.DocLink) string {
		name := link.Name
		if link.Recv != "" {
			name = link.Recv + "." + name
		}
		return linkTo(link.ImportPath, name)
	}
	return template.HTML(printer.HTML(p.Parser().Parse(text)))
}

// linkTo returns the address of a name in a package, "" for the page's own.
func linkTo(path, name string) string {
	anchor := ""
	if name != "" {
		anchor = "#" + name
	}
	inside, ours := strings.CutPrefix(path, module+"/")
	switch {
	case path == "":
		return anchor
	case ours && !strings.HasPrefix(inside, "internal/"):
		return pageOf(inside) + anchor
	default:
		return "https://pkg.go.dev/" + path + anchor
	}
}

// Picture returns the address of the picture that an example draws, or "".
func (p *packageDoc) Picture(example *doc.Example) string {
	name := p.pictureName(example)
	if p.pictures[name] == "" {
		return ""
	}
	return pictureFolder + "/" + name
}

// wordStart finds where a word of a name begins.
var wordStart = regexp.MustCompile(`[a-z][A-Z]`)

// ExampleTitle returns the title of an example, such as "Example (methods)".
func (p *packageDoc) ExampleTitle(example *doc.Example) string {
	if example.Suffix == "" {
		return "Example"
	}
	words := wordStart.ReplaceAllStringFunc(example.Suffix, func(letters string) string { return letters[:1] + " " + letters[1:] })
	return "Example (" + strings.ToLower(strings.ReplaceAll(words, "_", " ")) + ")"
}

// Entry is a documented name on a page.
type Entry struct {
	Package  *packageDoc
	ID       string // of its heading
	Kind     string // "func", "type" or "method"
	Doc      string
	Decl     ast.Node
	Examples []*doc.Example
}

// Function returns the entry of a function or method.
func (p *packageDoc) Function(f *doc.Func) Entry {
	if f.Recv == "" {
		return Entry{p, f.Name, "func", f.Doc, f.Decl, f.Examples}
	}
	receiver, _, _ := strings.Cut(strings.TrimPrefix(f.Recv, "*"), "[")
	return Entry{p, receiver + "." + f.Name, "method", f.Doc, f.Decl, f.Examples}
}

// Type returns the entry of a type.
func (p *packageDoc) Type(t *doc.Type) Entry {
	return Entry{p, t.Name, "type", t.Doc, t.Decl, t.Examples}
}

// Overview returns the entry of the package's own examples.
func (p *packageDoc) Overview() Entry { return Entry{Package: p, Examples: p.Examples} }

// Group is a list of constants or variables on a page.
type Group struct {
	Package *packageDoc
	Values  []*doc.Value
}

// Group returns the group of some declarations.
func (p *packageDoc) Group(values []*doc.Value) Group { return Group{p, values} }
