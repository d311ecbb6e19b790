package random

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A name that is a literal elsewhere could be taken twice, which nothing would notice.
func TestNoOtherPackageNamesAStream(t *testing.T) {
	root := filepath.Join("..", "..")
	calls := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != root && strings.HasPrefix(entry.Name(), ".") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		for _, name := range namesIn(file) {
			calls++
			if _, literal := name.(*ast.BasicLit); literal {
				t.Errorf("%s gives a stream a name of its own: use a constant of this package", path)
			}
		}
		return nil
	})
	if err != nil || calls < 10 {
		t.Errorf("%d calls found, error %v: want ten calls and more", calls, err)
	}
}

// namesIn returns the second argument of each call of New, Words and Bytes of this package.
func namesIn(file *ast.File) (names []ast.Expr) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || len(call.Args) < 2 {
			return true
		}
		called, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains([]string{"New", "Words", "Bytes"}, called.Sel.Name) {
			return true
		}
		if of, ok := called.X.(*ast.Ident); ok && of.Name == "random" {
			names = append(names, call.Args[1])
		}
		return true
	})
	return names
}
