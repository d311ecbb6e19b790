package ipynb

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
)

// declaration is something that the kernel remembers from one cell to the next.
type declaration struct {
	line int    // line of the notebook's source on which it begins
	text string // as Go source
}

// session is the state of the kernel after some cells.
type session struct {
	source       string                 // file name for messages about the cells
	imports      map[string]string      // import specification by the name that it declares
	declarations map[string]declaration // by the names that each declares
}

// newSession returns the session of a kernel that has run nothing; source names the notebook's
// source in messages.
func newSession(source string) *session {
	return &session{source: source, imports: map[string]string{}, declarations: map[string]declaration{}}
}

// compose returns the program that the kernel builds for the cell, "" for a cell without Go code,
// and remembers the cell's declarations. Lines of the program are marked with the lines of the
// notebook's source.
func (s *session) compose(cell Cell) (string, error) {
	file := cellFile(s.source, cell)
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, "", file, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return "", fmt.Errorf("notebook: %w", err)
	}
	if len(tree.Decls) == 0 {
		return "", nil
	}
	body := declaration{line: cell.Line, text: "func main() {}"}
	for _, decl := range tree.Decls {
		text := file[files.Position(decl.Pos()).Offset:files.Position(decl.End()).Offset]
		part := declaration{line: files.Position(decl.Pos()).Line, text: text}
		if function, ok := decl.(*ast.FuncDecl); ok && function.Recv == nil && function.Name.Name == "main" {
			body = part
			continue
		}
		s.remember(decl, part)
	}
	return s.program(body)
}

// cellFile returns the Go code of the cell as a file: special commands are left out, and what
// follows "%%" becomes the main function. Every line keeps its place.
func cellFile(source string, cell Cell) string {
	lines := []string{fmt.Sprintf("package main\n\n//line %s:%d", source, cell.Line)}
	closing, continued := "", false
	for _, line := range cell.Lines {
		special := continued || strings.HasPrefix(line, "%") || strings.HasPrefix(line, "!")
		continued = special && strings.HasSuffix(line, "\\")
		switch {
		case line == "%%" || strings.HasPrefix(line, "%% "):
			line, closing = "func main() { flag.Parse()", "}"
		case special:
			line = ""
		}
		lines = append(lines, line)
	}
	return strings.Join(append(lines, closing), "\n")
}

// remember keeps a declaration, in the place of earlier ones with the same names.
func (s *session) remember(decl ast.Decl, part declaration) {
	general, ok := decl.(*ast.GenDecl)
	if ok && general.Tok == token.IMPORT {
		for _, spec := range general.Specs {
			name, text := importSpec(spec.(*ast.ImportSpec))
			s.imports[name] = text
		}
		return
	}
	names := declaredNames(decl)
	for key := range s.declarations {
		if slices.ContainsFunc(strings.Split(key, ","), func(name string) bool { return slices.Contains(names, name) }) {
			delete(s.declarations, key)
		}
	}
	s.declarations[strings.Join(names, ",")] = part
}

// majorVersion is the last element of the path of a module's later major versions, which is not the
// package's name.
var majorVersion = regexp.MustCompile(`^v\d+$`)

// importSpec returns the name that an import declares, taken from its path when it has none, and
// its text.
func importSpec(spec *ast.ImportSpec) (name, text string) {
	if spec.Name != nil {
		return spec.Name.Name, spec.Name.Name + " " + spec.Path.Value
	}
	location := strings.Trim(spec.Path.Value, "\"`")
	if name := path.Base(location); !majorVersion.MatchString(name) {
		return name, spec.Path.Value
	}
	return path.Base(path.Dir(location)), spec.Path.Value
}

// declaredNames returns the names that a declaration declares; a method's name follows that of its
// receiver.
func declaredNames(decl ast.Decl) []string {
	if function, ok := decl.(*ast.FuncDecl); ok {
		if function.Recv == nil {
			return []string{function.Name.Name}
		}
		return []string{fmt.Sprintf("%s.%s", receiverName(function.Recv.List[0].Type), function.Name.Name)}
	}
	var names []string
	for _, spec := range decl.(*ast.GenDecl).Specs {
		switch spec := spec.(type) {
		case *ast.TypeSpec:
			names = append(names, spec.Name.Name)
		case *ast.ValueSpec:
			for _, name := range spec.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// receiverName returns the name of the type of a method's receiver.
func receiverName(receiver ast.Expr) string {
	switch receiver := receiver.(type) {
	case *ast.StarExpr:
		return receiverName(receiver.X)
	case *ast.IndexExpr:
		return receiverName(receiver.X)
	case *ast.Ident:
		return receiver.Name
	}
	return ""
}

// program joins the used imports, the remembered declarations and the main function of one cell.
func (s *session) program(body declaration) (string, error) {
	parts := []declaration{body}
	for _, key := range slices.Sorted(maps.Keys(s.declarations)) {
		parts = append(parts, s.declarations[key])
	}
	var code strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&code, "//line %s:%d\n%s\n\n", s.source, part.line, part.text)
	}
	used, err := selectedNames(code.String())
	if err != nil {
		return "", err
	}
	return "package main\n\n" + s.usedImports(used) + code.String(), nil
}

// usedImports returns an import declaration of what the program uses, and of "flag", which the
// kernel adds by itself.
func (s *session) usedImports(used map[string]bool) string {
	var lines strings.Builder
	if _, known := s.imports["flag"]; used["flag"] && !known {
		lines.WriteString("import \"flag\"\n")
	}
	for _, name := range slices.Sorted(maps.Keys(s.imports)) {
		if used[name] || name == "." || name == "_" {
			fmt.Fprintf(&lines, "import %s\n", s.imports[name])
		}
	}
	return lines.String() + "\n"
}

// selectedNames returns the names x of all expressions x.y in the code.
func selectedNames(code string) (map[string]bool, error) {
	tree, err := parser.ParseFile(token.NewFileSet(), "", "package main\n"+code, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("notebook: %w", err)
	}
	names := map[string]bool{}
	ast.Inspect(tree, func(node ast.Node) bool {
		if selector, ok := node.(*ast.SelectorExpr); ok {
			if name, ok := selector.X.(*ast.Ident); ok {
				names[name.Name] = true
			}
		}
		return true
	})
	return names, nil
}
