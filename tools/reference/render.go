package main

import (
	"bytes"
	_ "embed"
	"go/ast"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/printer"
	"go/scanner"
	"go/token"
	"html"
	"html/template"
	"regexp"
	"slices"
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

// Code returns a declaration as HTML, with a link at each exported type.
func (p *packageDoc) Code(declaration ast.Node) template.HTML {
	return p.html(p.source(declaration), true)
}

// source returns the text of a node as gofmt writes it.
func (p *packageDoc) source(node any) string {
	var text bytes.Buffer
	if err := format.Node(&text, p.files, node); err != nil {
		return err.Error()
	}
	return text.String()
}

// html returns Go source as HTML: comments apart, and the types of this module as links. own says
// whether names without a package are those of this one.
func (p *packageDoc) html(source string, own bool) template.HTML {
	var out strings.Builder
	var s scanner.Scanner
	set := token.NewFileSet()
	s.Init(set.AddFile("", set.Base(), len(source)), []byte(source), nil, scanner.ScanComments)
	base, end := set.Base()-len(source)-1, 0
	before := [2]string{} // the two tokens before
	for {
		position, kind, literal := s.Scan()
		if kind == token.EOF || kind == token.SEMICOLON && literal == "\n" {
			if kind == token.EOF {
				break
			}
			continue
		}
		text := literal
		if text == "" {
			text = kind.String()
		}
		start := int(position) - base
		out.WriteString(html.EscapeString(source[end:start]))
		end = start + len(text)
		switch address := p.address(text, before, own); {
		case kind == token.COMMENT:
			out.WriteString(`<i>` + html.EscapeString(text) + `</i>`)
		case kind == token.IDENT && address != "":
			out.WriteString(`<a href="` + address + `">` + text + `</a>`)
		default:
			out.WriteString(html.EscapeString(text))
		}
		before = [2]string{before[1], text}
	}
	out.WriteString(html.EscapeString(source[end:]))
	return template.HTML(out.String())
}

// address returns the link of an identifier after two tokens, or "".
func (p *packageDoc) address(name string, before [2]string, own bool) string {
	if before[1] == "." {
		path := p.imported[before[0]]
		if p.linked[path+"."+name] {
			return linkTo(path, name)
		}
		return ""
	}
	isType := slices.ContainsFunc(p.Types, func(t *doc.Type) bool { return t.Name == name })
	if own && isType && before[1] != "type" {
		return "#" + name
	}
	return ""
}

// outputComment begins the expected output at the end of an example.
var outputComment = regexp.MustCompile(`(?i)\n\s*//\s*(unordered )?output:`)

// ExampleCode returns the body of an example as HTML.
func (p *packageDoc) ExampleCode(example *doc.Example) template.HTML {
	if example.Play != nil && example.Code == ast.Node(example.Play) {
		return p.html(p.source(example.Play), false)
	}
	text := p.source(&printer.CommentedNode{Node: example.Code, Comments: example.Comments})
	if at := outputComment.FindStringIndex(text); at != nil {
		text = text[:at[0]]
	}
	text = strings.TrimSuffix(strings.TrimPrefix(text, "{\n"), "\n}")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimPrefix(line, "\t")
	}
	return p.html(strings.Join(lines, "\n"), false)
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

// ExampleTitle is such as "Example (methods)".
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
