package executor

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"reflect"
	"strings"
	"testing"

	"github.com/gomlx/compute/support/backendtest"

	"github.com/nbbnn/workbench/internal/purego/kernel"
	"github.com/nbbnn/workbench/internal/testkit"
)

const theirPackage = "github.com/gomlx/compute/internal/gobackend"

// correspondences are our types that mirror theirs.
var correspondences = map[string]string{"buffer": "Buffer", "node": "Node", "builder": "Builder",
	"function": "Function"}

// mirrored are all structs that mirror the first fields of theirs, by the package of theirs.
var mirrored = map[string]map[string]string{
	theirPackage: correspondences,
	theirPackage + "/ops": {"convolutionData": "convNode", "callData": "callNode",
		"reductionData": "ReduceConfig"},
	theirPackage + "/dot": {"dotData": "NodeData"},
}

func TestStructsAreThoseOfTheBackend(t *testing.T) {
	listed := goList(t, ".")
	ours, _ := checkedPackage(t, listed, "executor", []string{"backend.go"})
	for path, structs := range mirrored {
		theirs, _ := checkedPackage(t, listed, path, goFiles(t, path))
		for our, their := range structs {
			if problem := differentField(structOf(ours, our),
				structOf(theirs, their)); problem != "" {
				t.Errorf("%s and %s: %s", our, their, problem)
			}
		}
	}
}

func structOf(in *types.Package, name string) *types.Struct {
	return in.Scope().Lookup(name).Type().Underlying().(*types.Struct)
}

// differentField describes the first field of ours that isn't theirs, which our tag names.
func differentField(ours, theirs *types.Struct) string {
	for i := range ours.NumFields() {
		name := reflect.StructTag(ours.Tag(i)).Get("field")
		if i >= theirs.NumFields() || theirs.Field(i).Name() != name ||
			!sameType(ours.Field(i).Type(), theirs.Field(i).Type()) {
			return fmt.Sprintf("field %d differs from ours for %s", i, name)
		}
	}
	return ""
}

// The linker knows names only, so everything that is reached by its name must have the type that
// backend.go declares for it.
func TestSignaturesAreThoseOfTheBackend(t *testing.T) {
	listed := goList(t, ".")
	ours, names := checkedPackage(t, listed, "executor", []string{"backend.go"})
	theirs, _ := checkedPackage(t, listed, theirPackage, goFiles(t, theirPackage))
	if len(names) != 5 {
		t.Errorf("backend.go has %d linker names, want 5: %v", len(names), names)
	}
	for name, target := range names {
		our, their := ours.Scope().Lookup(name).Type(), theirType(theirs, target)
		switch {
		case their == nil:
			t.Errorf("%s: there's no %s", name, target)
		case !sameType(our, their):
			t.Errorf("%s is %s, but %s is %s", name, our, target, their)
		}
	}
}

// listedPackage is what the go command says of a package.
type listedPackage struct{ ImportPath, Dir, Export string }

// goList lists packages and all that they import.
func goList(t *testing.T, packages ...string) map[string]listedPackage {
	t.Helper()
	command := exec.Command("go",
		append([]string{"list", "-deps", "-export", "-json=ImportPath,Dir,Export"}, packages...)...)
	output := testkit.Must(command.Output())(t)
	listed := map[string]listedPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(output))); ; {
		var p listedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return listed
		} else if err != nil {
			t.Fatal(err)
		}
		listed[p.ImportPath] = p
	}
}

// goFiles are the files of a package on this system.
func goFiles(t *testing.T, path string) []string {
	t.Helper()
	output := testkit.Must(exec.Command("go", "list", "-f",
		`{{$folder := .Dir}}{{range .GoFiles}}{{$folder}}/{{.}}{{"\n"}}{{end}}`, path).Output())(t)
	return strings.Split(strings.TrimSpace(string(output)), "\n")
}

// checkedPackage type-checks files, and returns the linker names in them: ours, and what they mean.
func checkedPackage(t *testing.T, listed map[string]listedPackage, path string,
	files []string) (*types.Package, map[string]string) {
	t.Helper()
	set, names := token.NewFileSet(), map[string]string{}
	var parsed []*ast.File
	for _, file := range files {
		syntax := testkit.Must(parser.ParseFile(set, file, nil, parser.ParseComments))(t)
		parsed = append(parsed, syntax)
		for _, group := range syntax.Comments {
			for _, comment := range group.List {
				if fields := strings.Fields(comment.Text); len(fields) == 3 &&
					fields[0] == "//go:linkname" {
					names[fields[1]] = fields[2]
				}
			}
		}
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(listed[path].Export) }
	config := types.Config{Importer: importer.ForCompiler(set, "gc", open), IgnoreFuncBodies: true}
	checked := testkit.Must(config.Check(path, set, parsed, nil))(t)
	return checked, names
}

// theirType returns the type of what a linker name means, nil if there is none: a method's has its
// receiver first.
func theirType(theirs *types.Package, target string) types.Type {
	name := strings.TrimPrefix(target, theirPackage+".")
	receiver, method, isMethod := strings.Cut(strings.TrimPrefix(name, "(*"), ").")
	if !isMethod {
		if object := theirs.Scope().Lookup(name); object != nil {
			return object.Type()
		}
		return nil
	}
	pointer := types.NewPointer(theirs.Scope().Lookup(receiver).Type())
	object, _, _ := types.LookupFieldOrMethod(pointer, true, theirs, method)
	if object == nil {
		return nil
	}
	signature := object.Type().(*types.Signature)
	parameters := []*types.Var{types.NewParam(token.NoPos, theirs, "", pointer)}
	for parameter := range signature.Params().Variables() {
		parameters = append(parameters, parameter)
	}
	return types.NewSignatureType(nil, nil, nil, types.NewTuple(parameters...), signature.Results(),
		signature.Variadic())
}

// sameType reports whether a type of ours has the memory layout and the calls of theirs, where
// corresponding types count as the same and an unsafe.Pointer as any pointer.
func sameType(ours, theirs types.Type) bool {
	if named, is := types.Unalias(ours).(*types.Named); is {
		if mirrored := correspondences[named.Obj().Name()]; mirrored != "" {
			their, is := types.Unalias(theirs).(*types.Named)
			return is && their.Obj().Name() == mirrored
		}
		if named.String() == theirs.String() {
			return true
		}
	}
	our, their := ours.Underlying(), theirs.Underlying()
	if our == types.Typ[types.UnsafePointer] {
		_, is := their.(*types.Pointer)
		return is
	}
	switch our := our.(type) {
	case *types.Pointer:
		their, is := their.(*types.Pointer)
		return is && sameType(our.Elem(), their.Elem())
	case *types.Slice:
		their, is := their.(*types.Slice)
		return is && sameType(our.Elem(), their.Elem())
	case *types.Array:
		their, is := their.(*types.Array)
		return is && our.Len() == their.Len() && sameType(our.Elem(), their.Elem())
	case *types.Signature:
		their, is := their.(*types.Signature)
		return is && sameTuple(our.Params(), their.Params()) &&
			sameTuple(our.Results(), their.Results()) && our.Variadic() == their.Variadic()
	case *types.Struct:
		their, is := their.(*types.Struct)
		return is && sameFields(our, their)
	case *types.Interface:
		their, is := their.(*types.Interface)
		return is && sameMethods(our, their)
	}
	return types.Identical(our, their)
}

func sameTuple(ours, theirs *types.Tuple) bool {
	return sameObjects(ours.Len(), theirs.Len(), func(i int) (our, their types.Object, named bool) {
		return ours.At(i), theirs.At(i), false
	})
}

func sameFields(ours, theirs *types.Struct) bool {
	return sameObjects(ours.NumFields(), theirs.NumFields(), func(i int) (our, their types.Object,
		named bool) {
		return ours.Field(i), theirs.Field(i), true
	})
}

// sameMethods compares interfaces: their methods are sorted by name.
func sameMethods(ours, theirs *types.Interface) bool {
	return sameObjects(ours.NumMethods(), theirs.NumMethods(), func(i int) (our, their types.Object,
		named bool) {
		return ours.Method(i), theirs.Method(i), true
	})
}

// sameObjects compares lists of objects by their types, and by their names where these count.
func sameObjects(ours, theirs int, at func(i int) (our, their types.Object, named bool)) bool {
	for i := range min(ours, theirs) {
		our, their, named := at(i)
		if named && our.Name() != their.Name() || !sameType(our.Type(), their.Type()) {
			return false
		}
	}
	return ours == theirs
}

// Upstream's own tests of a backend pass with the kernels of every set. They pass on the stock
// backend, too, so there's no list of exceptions.
func TestBackendPassesUpstreamsTests(t *testing.T) {
	needKernels(t)
	defer Install(backend, Best)
	for _, set := range kernel.Available() {
		t.Run(set.Name, func(t *testing.T) {
			installed.kernels = set
			set.Use()
			calls := installed.calls.Load()
			backendtest.RunAll(t, backend, nil)
			if installed.calls.Load() == calls {
				t.Error("the kernels were not called")
			}
		})
	}
}
