package architecture

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// mostNames is how many functions, methods and types the packages for users export at most,
// together.
const mostNames = 560

// workshop are the rooms that no user imports.
var workshop = []string{"internal", "cmd", "tools", "docker", "docs", "notebooks"}

// An exported name has a caller in another package or stands on a page: in the code of one, in an
// example or in a package's comment. A type may also be that of a field, a parameter or a result
// of such a name, and a method may be there for an interface or a template.
func TestExportedNamesAreUsed(t *testing.T) {
	s := surface{set: token.NewFileSet(), packages: map[string]*types.Package{},
		used: map[types.Object]bool{}}
	s.check(t)
	s.words = codeWords(t)
	names, kept := s.names(), map[types.Object]bool{}
	for _, name := range names {
		if s.isUsed(name) {
			s.keep(name, kept)
		}
	}
	count := 0
	for _, name := range names {
		switch name.(type) {
		case *types.Func, *types.TypeName:
			count++
		}
		if !kept[name] {
			t.Errorf("%s: nobody outside of its package uses %s: unexport it, or teach it on a "+
				"page", s.set.Position(name.Pos()), name.Name())
		}
	}
	if count < 100 || count > mostNames {
		t.Errorf("%d functions, methods and types are exported, want 100 to %d: unexport what "+
			"users can miss, or raise mostNames and say why in the commit", count, mostNames)
	}
}

// surface holds what the module's packages export and use of each other.
type surface struct {
	set        *token.FileSet
	packages   map[string]*types.Package // of this module, checked from their sources
	interfaces []*types.Interface
	used       map[types.Object]bool // by another package
	words      map[string]bool
}

// check type-checks the module's packages, each after those that it imports.
func (s *surface) check(t *testing.T) {
	t.Helper()
	command := exec.Command("go", "list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export",
		"./...")
	command.Dir, command.Stderr = root, os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	foreign := importer.ForCompiler(s.set, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	fault := types.Universe.Lookup("error").Type()
	s.interfaces = append(s.interfaces, fault.Underlying().(*types.Interface))
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !strings.HasPrefix(p.ImportPath, module) || len(p.GoFiles) == 0 {
			continue
		}
		var files []*ast.File
		for _, name := range p.GoFiles {
			file, err := parser.ParseFile(s.set, filepath.Join(p.Dir, name), nil,
				parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			files = append(files, file)
		}
		info := types.Info{Uses: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{}}
		config := types.Config{Importer: importing{s.packages, foreign}}
		checked, err := config.Check(p.ImportPath, s.set, files, &info)
		if err != nil {
			t.Fatal(err)
		}
		s.packages[p.ImportPath] = checked
		s.note(checked, info)
	}
}

// importing takes this module's packages from their sources, so that a name is the same object
// everywhere.
type importing struct {
	ours    map[string]*types.Package
	foreign types.Importer
}

func (i importing) Import(path string) (*types.Package, error) {
	if ours := i.ours[path]; ours != nil {
		return ours, nil
	}
	return i.foreign.Import(path)
}

// note records what a package uses of others, and the interfaces that it and its imports declare.
func (s *surface) note(p *types.Package, info types.Info) {
	for _, object := range info.Uses {
		if object.Pkg() != p {
			s.used[origin(object)] = true
		}
	}
	add := func(of types.Type) {
		if i, is := of.Underlying().(*types.Interface); is && i.NumMethods() > 0 {
			s.interfaces = append(s.interfaces, i)
		}
	}
	for expression, of := range info.Types {
		if _, is := expression.(*ast.InterfaceType); is {
			add(of.Type)
		}
	}
	for _, imported := range p.Imports() {
		if strings.HasPrefix(imported.Path(), module) || s.packages[imported.Path()] != nil {
			continue
		}
		s.packages[imported.Path()] = imported
		for _, name := range imported.Scope().Names() {
			if named, is := imported.Scope().Lookup(name).(*types.TypeName); is &&
				named.Exported() {
				add(named.Type())
			}
		}
	}
}

// origin returns the declaration of a method or a field of an instantiated type.
func origin(object types.Object) types.Object {
	switch o := object.(type) {
	case *types.Func:
		return o.Origin()
	case *types.Var:
		return o.Origin()
	}
	return object
}

// names returns the exported functions, types, constants and variables of the packages for users,
// and the exported methods of these types.
func (s *surface) names() (names []types.Object) {
	for path, p := range s.packages {
		inner, ours := strings.CutPrefix(path, module)
		if room, _, _ := strings.Cut(inner, "/"); !ours || slices.Contains(workshop, room) {
			continue
		}
		for _, name := range p.Scope().Names() {
			object := p.Scope().Lookup(name)
			if !object.Exported() {
				continue
			}
			names = append(names, object)
			if named, is := object.Type().(*types.Named); is &&
				object == types.Object(named.Obj()) {
				for method := range named.Methods() {
					if method.Exported() {
						names = append(names, method)
					}
				}
			}
		}
	}
	return names
}

// reflected are methods that the standard library looks for without an exported interface.
var reflected = []string{"As", "Is", "IsZero", "Unwrap"}

// isUsed reports whether another package, a page, an interface or a template uses a name. Constants
// and variables of a type of this module are its values, of which some may be unused.
func (s *surface) isUsed(name types.Object) bool {
	if s.used[name] || s.words[name.Name()] {
		return true
	}
	switch o := name.(type) {
	case *types.Const, *types.Var:
		named, is := o.Type().(*types.Named)
		return is && named.Obj().Pkg() == o.Pkg()
	case *types.Func:
		return o.Signature().Recv() != nil && (slices.Contains(reflected, o.Name()) ||
			s.satisfies(o))
	}
	return false
}

// satisfies reports whether an interface asks for a method.
func (s *surface) satisfies(method *types.Func) bool {
	receiver := method.Signature().Recv().Type()
	if _, is := receiver.(*types.Pointer); !is {
		receiver = types.NewPointer(receiver)
	}
	return slices.ContainsFunc(s.interfaces, func(i *types.Interface) bool {
		asked, _, _ := types.LookupFieldOrMethod(i, false, nil, method.Name())
		return asked != nil && types.Implements(receiver, i)
	})
}

// keep keeps a name with the types of its parameters, results and exported fields.
func (s *surface) keep(name types.Object, kept map[types.Object]bool) {
	if kept[name] {
		return
	}
	kept[name] = true
	of := name.Type()
	if _, is := name.(*types.TypeName); is {
		of = of.Underlying()
	}
	s.keepTypes(of, kept)
}

func (s *surface) keepTypes(of types.Type, kept map[types.Object]bool) {
	switch t := of.(type) {
	case *types.Named:
		s.keep(t.Obj(), kept)
	case *types.Alias:
		s.keep(t.Obj(), kept)
	case interface{ Elem() types.Type }:
		s.keepTypes(t.Elem(), kept)
		if m, is := t.(*types.Map); is {
			s.keepTypes(m.Key(), kept)
		}
	case *types.Signature:
		for _, tuple := range []*types.Tuple{t.Params(), t.Results()} {
			for v := range tuple.Variables() {
				s.keepTypes(v.Type(), kept)
			}
		}
	case *types.Struct:
		for field := range t.Fields() {
			if field.Exported() || field.Embedded() {
				s.keepTypes(field.Type(), kept)
			}
		}
	}
}

var (
	word        = regexp.MustCompile(`\w+`)
	packageText = regexp.MustCompile(`(?s)^.*?\npackage `)
	example     = regexp.MustCompile(`(?ms)^func Example\w*\(.*?^}`)
)

// codeWords returns the words of the code on pages, in examples, in comments of packages, in
// templates and in the site's program, which is built for browsers only.
func codeWords(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	add := func(texts ...string) {
		for _, text := range texts {
			for _, name := range word.FindAllString(text, -1) {
				words[name] = true
			}
		}
	}
	for page, text := range markdown(t) {
		if page != "CHANGELOG.md" {
			add(codeBlock.FindAllString(text, -1)...)
			add(codeSpan.FindAllString(codeBlock.ReplaceAllString(text, ""), -1)...)
		}
	}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(file, entry.Name())
		}
		text, err := os.ReadFile(file)
		switch name := entry.Name(); {
		case strings.HasSuffix(name, ".tmpl"):
			add(string(text))
		case strings.HasSuffix(name, "_test.go"):
			add(example.FindAllString(string(text), -1)...)
		case strings.HasPrefix(file, filepath.Join(root, "tools", "site")) &&
			strings.HasSuffix(name, ".go"):
			add(string(text))
		case name == "doc.go":
			add(packageText.FindAllString(string(text), 1)...)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return words
}
