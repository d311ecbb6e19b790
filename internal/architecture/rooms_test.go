// Package architecture holds tests of how the workbench is laid out: which package may import
// which, how large their interfaces are, how far a type's methods are scattered, and where the
// links of its pages lead.
package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	root   = "../.."
	module = "github.com/nbbnn/workbench/"
)

// floors are the rooms from the lowest to the highest. A package imports packages of its own floor
// or of lower ones. Some rooms in internal stand above what they use.
var floors = [][]string{
	{"internal"},
	{"corrupt", "dataset"},
	{"nbbnn/score", "nbbnn/network", "internal/corrupted"},
	{"nbbnn/implicit", "nbbnn/baseline", "internal/methods", "internal/trial", "internal/options",
		"internal/cellstore"},
	{"nbbnn"},
	{"viz"},
	{"internal/report", "lab/explorer"},
	{"internal/estimate"},
	{"viz/report"},
	{"paper"},
	{"lab"},
	{"cmd", "docker", "docs/example"},
	{"tools"},
}

func TestPackagesImportOnlyLowerRooms(t *testing.T) {
	for folder, files := range sources(t) {
		own := floorOf(folder)
		if own < 0 {
			t.Errorf("%s is on no floor: add it to floors", folder)
			continue
		}
		for _, file := range files {
			for _, spec := range file.Imports {
				imported, _ := strconv.Unquote(spec.Path.Value)
				inner, ours := strings.CutPrefix(imported, module)
				if ours && floorOf(inner) > own {
					t.Errorf("%s imports %s, which is on a higher floor", folder, inner)
				}
			}
		}
	}
}

// floorOf returns the floor of a folder: that of the longest room that holds it, or -1.
func floorOf(folder string) int {
	for room := folder; room != "."; room = path.Dir(room) {
		for floor, rooms := range floors {
			if slices.Contains(rooms, room) {
				return floor
			}
		}
	}
	return -1
}

func TestInterfacesStaySmall(t *testing.T) {
	most := map[string]int{
		"nbbnn": 110, "nbbnn/network": 80, "nbbnn/score": 80, "nbbnn/implicit": 80,
		"nbbnn/baseline": 80,
		"paper":          81, "lab": 80, "viz": 80, "corrupt": 80, "dataset": 80, "viz/report": 80,
		"lab/explorer": 80,
	}
	packages := sources(t)
	for folder, limit := range most {
		names := exported(packages[folder])
		if len(names) == 0 || len(names) > limit {
			t.Errorf("%s exports %d top-level names, want 1 to %d: %s", folder, len(names), limit,
				strings.Join(names, " "))
		}
	}
}

// exported returns the exported top-level names of a package's files, methods not counted.
func exported(files map[string]*ast.File) (names []string) {
	add := func(name *ast.Ident) {
		if name.IsExported() {
			names = append(names, name.Name)
		}
	}
	for _, file := range files {
		for _, declaration := range file.Decls {
			switch d := declaration.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil {
					add(d.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						add(s.Name)
					case *ast.ValueSpec:
						for _, name := range s.Names {
							add(name)
						}
					}
				}
			}
		}
	}
	slices.Sort(names)
	return names
}

// mostFiles is in how many files the methods of a type may be. A run is the library's hub, with a
// file for each of what one does with it: files, training, model, evaluation, predictions, images
// from outside.
func mostFiles(folder, receiver string) int {
	if folder == "nbbnn" && receiver == "Run" {
		return 6
	}
	return 4
}

func TestMethodsOfATypeAreInFewFiles(t *testing.T) {
	for folder, files := range sources(t) {
		places := map[string][]string{}
		for name, file := range files {
			for _, declaration := range file.Decls {
				if f, is := declaration.(*ast.FuncDecl); is && f.Recv != nil {
					receiver := receiverName(f.Recv.List[0].Type)
					if !slices.Contains(places[receiver], name) {
						places[receiver] = append(places[receiver], name)
					}
				}
			}
		}
		for receiver, names := range places {
			if most := mostFiles(folder, receiver); len(names) > most {
				slices.Sort(names)
				t.Errorf("%s: the methods of %s are in %d files, want %d at most: %s", folder,
					receiver, len(names), most, strings.Join(names, " "))
			}
		}
	}
}

// receiverName returns the name of a method's type without star and type parameters.
func receiverName(expression ast.Expr) string {
	switch e := expression.(type) {
	case *ast.StarExpr:
		return receiverName(e.X)
	case *ast.IndexExpr:
		return receiverName(e.X)
	case *ast.IndexListExpr:
		return receiverName(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// sources parses the module's files that aren't tests, by folder and by name.
func sources(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	packages := map[string]map[string]*ast.File{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); name == "testdata" || name == "notebooks" {
				return filepath.SkipDir
			}
			return skip(file, entry.Name())
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		folder = filepath.ToSlash(folder)
		if packages[folder] == nil {
			packages[folder] = map[string]*ast.File{}
		}
		packages[folder][entry.Name()] = parsed
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// ignored are the folders that git ignores, apart from work, which may be anywhere.
var ignored = []string{"bin", "data", "gpu", "mine", "out", "predictions", "runs"}

// eachFile calls do with the name of each file of the repository, and with its path from here.
func eachFile(t *testing.T, do func(name, file string) error) {
	t.Helper()
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			return skip(file, entry.Name())
		}
		name, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		return do(filepath.ToSlash(name), file)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// skip leaves out the folders that aren't part of the repository.
func skip(folder, name string) error {
	inRoot := filepath.Dir(folder) == root
	hidden := strings.HasPrefix(name, ".") && folder != root
	if hidden || name == "work" || inRoot && slices.Contains(ignored, name) {
		return filepath.SkipDir
	}
	return nil
}
