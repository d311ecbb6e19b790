package main

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	module        = "github.com/nbbnn/workbench"
	pictureFolder = "pictures"
)

var (
	// programs are the folders of the repository that hold programs and texts, no public packages.
	programs = []string{"cmd", "deploy", "docker", "docs", "notebooks", "tools"}
	// ignored are the folders that git ignores, apart from work, which may be anywhere. What users
	// and make put there isn't published.
	ignored = []string{"bin", "data", "gpu", "mine", "out", "predictions", "runs"}
)

// packageDoc is a package with its documentation.
type packageDoc struct {
	*doc.Package
	path     string // in the module, such as "nbbnn/score"
	files    *token.FileSet
	imported map[string]string // import paths by the names that files use
	pictures map[string]string // of examples: their files by the names that pages use
	linked   map[string]bool   // the names of all public packages, with their import paths
}

// readPackages returns the public packages of the module in a folder, ordered by path.
func readPackages(root string) (packages []*packageDoc, err error) {
	err = filepath.WalkDir(root, func(place string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.IsDir() || place == root {
			return err
		}
		name, err := filepath.Rel(root, place)
		if err != nil {
			return err
		}
		if !isPublic(filepath.ToSlash(name)) {
			return filepath.SkipDir
		}
		listed, err := build.ImportDir(place, 0)
		if _, empty := err.(*build.NoGoError); empty || err == nil && listed.Name == "main" {
			return nil
		}
		if err != nil {
			return err
		}
		p, err := readPackage(listed, filepath.ToSlash(name))
		packages = append(packages, p)
		return err
	})
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, p := range packages {
		p.linked = known
		for _, name := range p.names() {
			known[p.ImportPath+"."+name] = true
		}
	}
	return packages, nil
}

// isPublic reports whether a folder of the module may hold packages that other modules import.
func isPublic(folder string) bool {
	parts := strings.Split(folder, "/")
	if slices.Contains(programs, parts[0]) || slices.Contains(ignored, parts[0]) {
		return false
	}
	return !slices.ContainsFunc(parts, func(part string) bool {
		return part == "internal" || part == "testdata" || part == "work" || strings.ContainsAny(part[:1], "._")
	})
}

// readPackage reads the files of a package that are for this system, and those of its tests.
func readPackage(listed *build.Package, name string) (*packageDoc, error) {
	p := &packageDoc{
		path: name, files: token.NewFileSet(), imported: map[string]string{}, pictures: map[string]string{},
	}
	var parsed []*ast.File
	for _, file := range slices.Concat(listed.GoFiles, listed.TestGoFiles, listed.XTestGoFiles) {
		syntax, err := parser.ParseFile(p.files, filepath.Join(listed.Dir, file), nil, parser.ParseComments)
		if err != nil {
			return nil, err
		}
		parsed = append(parsed, syntax)
		for _, spec := range syntax.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			if spec.Name == nil {
				p.imported[path.Base(imported)] = imported
			}
		}
	}
	var err error
	if p.Package, err = doc.NewFromFiles(p.files, parsed, path.Join(module, name)); err != nil {
		return nil, err
	}
	for _, example := range p.examples() {
		if from := p.pictureOf(listed.Dir, example); from != "" {
			p.pictures[p.pictureName(example)] = from
		}
	}
	return p, nil
}

// examples returns the examples of the package and of all its names.
func (p *packageDoc) examples() []*doc.Example {
	all := slices.Clone(p.Examples)
	for _, f := range p.Funcs {
		all = append(all, f.Examples...)
	}
	for _, t := range p.Types {
		all = append(all, t.Examples...)
		for _, f := range slices.Concat(t.Funcs, t.Methods) {
			all = append(all, f.Examples...)
		}
	}
	return all
}

// names returns the exported names of the package, methods as Type.Method.
func (p *packageDoc) names() (names []string) {
	for _, value := range slices.Concat(p.Consts, p.Vars) {
		names = append(names, value.Names...)
	}
	for _, f := range p.Funcs {
		names = append(names, f.Name)
	}
	for _, typ := range p.Types {
		names = append(names, typ.Name)
		for _, value := range slices.Concat(typ.Consts, typ.Vars) {
			names = append(names, value.Names...)
		}
		for _, f := range slices.Concat(typ.Funcs, typ.Methods) {
			names = append(names, p.Function(f).ID)
		}
	}
	return slices.DeleteFunc(names, func(name string) bool { return !token.IsExported(name) })
}

// drawn finds the picture that an example saves. Its golden copy is next to it.
var drawn = regexp.MustCompile(`"testdata/([a-z0-9_]+)\.png"`)

// pictureOf returns the file of the picture that an example draws, or "".
func (p *packageDoc) pictureOf(folder string, example *doc.Example) string {
	name := drawn.FindStringSubmatch(p.source(example.Code))
	if name == nil {
		return ""
	}
	golden := filepath.Join(folder, "testdata", name[1]+"_golden.png")
	if matches, err := filepath.Glob(golden); err != nil || len(matches) == 0 {
		return ""
	}
	return golden
}

// pictureName returns what pages call the picture of an example.
func (p *packageDoc) pictureName(example *doc.Example) string {
	return strings.ReplaceAll(p.path, "/", "-") + "-" + example.Name + ".png"
}

// page returns the name of the package's page.
func (p *packageDoc) page() string { return pageOf(p.path) }

func pageOf(path string) string { return strings.ReplaceAll(path, "/", "-") + ".html" }
