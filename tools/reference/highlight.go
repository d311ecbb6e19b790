package main

import (
	"bytes"
	"go/ast"
	"go/doc"
	"go/format"
	"go/printer"
	"go/scanner"
	"go/token"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strings"
)

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

// html returns Go source as HTML: comments in italics, and the types of this module as links. own
// says whether names without a package are those of this one.
func (p *packageDoc) html(source string, own bool) template.HTML {
	var out strings.Builder
	before := [2]string{} // the two words before
	for _, w := range words(source) {
		out.WriteString(w.space)
		text := html.EscapeString(w.text)
		switch address := p.address(w.text, before, own); {
		case w.kind == token.COMMENT:
			text = "<i>" + text + "</i>"
		case w.kind == token.IDENT && address != "":
			text = `<a href="` + address + `">` + text + "</a>"
		}
		out.WriteString(text)
		before = [2]string{before[1], w.text}
	}
	return template.HTML(out.String())
}

// word is a token of Go source with the white space before it.
type word struct {
	space, text string
	kind        token.Token
}

// words splits Go source into its words. The last one is the end: it has no text.
func words(source string) (all []word) {
	file := token.NewFileSet().AddFile("", -1, len(source))
	var s scanner.Scanner
	s.Init(file, []byte(source), nil, scanner.ScanComments)
	end := 0
	for {
		position, kind, text := s.Scan()
		if kind == token.SEMICOLON && text == "\n" { // the scanner adds it at the end of a line
			continue
		}
		if kind == token.EOF {
			return append(all, word{space: source[end:], kind: kind})
		}
		if text == "" {
			text = kind.String()
		}
		start := file.Offset(position)
		all = append(all, word{source[end:start], text, kind})
		end = start + len(text)
	}
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
