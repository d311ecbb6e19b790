package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestParseProfile(t *testing.T) {
	const some = `File: attack
Type: cpu
Duration: 16.83s, Total samples = 16690ms (99.17%)
Active filters:
   focus=sha256
Showing nodes accounting for 10ms, 0.06% of 16690ms total
      flat  flat%   sum%        cum   cum%
      10ms  0.06%  0.06%       10ms  0.06%  crypto/internal/fips140/sha256.blockSHANI
`
	const none = "Showing nodes accounting for 0, 0% of 1400ms total\n"
	for _, c := range []struct {
		text        string
		total, part time.Duration
	}{{some, 16690 * time.Millisecond, 10 * time.Millisecond}, {none, 1400 * time.Millisecond, 0}} {
		if total, part, err := parseProfile(c.text); err != nil || total != c.total || part != c.part {
			t.Errorf("%v of %v (%v), want %v of %v", part, total, err, c.part, c.total)
		}
	}
	if _, _, err := parseProfile("no such file"); err == nil {
		t.Error("a text without times has some")
	}
}

// profileNames returns the names that a profile gives the functions of a folder and those of the
// packages that it imports, as far as they are known: "crypto/sha256.".
func profileNames(t *testing.T, folder string) (names []string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(root, folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, imported := range file.Imports {
			names = append(names, strings.Trim(imported.Path.Value, `"`)+".")
		}
		for _, declaration := range file.Decls {
			if function, is := declaration.(*ast.FuncDecl); is {
				names = append(names, folder+"."+receiver(function)+function.Name.Name)
			}
		}
	}
	return names
}

// receiver returns how a profile writes the type of a method: "table." or "(*table).".
func receiver(function *ast.FuncDecl) string {
	if function.Recv == nil {
		return ""
	}
	switch of := function.Recv.List[0].Type.(type) {
	case *ast.Ident:
		return of.Name + "."
	case *ast.StarExpr:
		if name, is := of.X.(*ast.Ident); is {
			return "(*" + name.Name + ")."
		}
	}
	return "?."
}

// Each pattern matches a function that there is: checking that was renamed would cost nothing.
func TestCheckingFunctionsExist(t *testing.T) {
	names := slices.Concat(profileNames(t, "nbbnn"), profileNames(t, "nbbnn/score"), profileNames(t, "internal/files"))
	for _, pattern := range checkingFunctions {
		if !slices.ContainsFunc(names, regexp.MustCompile(pattern).MatchString) {
			t.Errorf("nothing in the sources is called %s", pattern)
		}
	}
	for i, method := range []string{"check", "seal"} {
		for _, name := range []string{"score.table." + method, "score.(*table)." + method} {
			if !regexp.MustCompile(checkingFunctions[1+i]).MatchString(name) {
				t.Errorf("%s doesn't count as checking", name)
			}
		}
	}
}
