package architecture

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A copy from elsewhere cures files that this program keeps, of runs, sets and notebooks. A file
// that somebody gives, for example weights or a picture, may be sound and not read: a copy is the
// same again. Every error of damage names a cure.
func TestCuresCure(t *testing.T) {
	own := map[string]bool{
		"nbbnn": true, "cmd/command": true, "internal/cellstore": true, "internal/corrupted": true,
		"tools/notebook/ipynb": true, "internal/files": true,
	}
	copies := regexp.MustCompile(`\ba copy\b`)
	cure := regexp.MustCompile(`again|remove|restore|copy|update|move|replace|name another|%s$`)
	seen := 0
	eachFile(t, func(name, file string) error {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") ||
			strings.HasPrefix(name, "internal/purego") {
			return nil
		}
		parsed := testkit.Must(parser.ParseFile(token.NewFileSet(), file, nil,
			parser.SkipObjectResolution))(t)
		ast.Inspect(parsed, func(node ast.Node) bool {
			text, is := testkit.ConstantText(node)
			if !is {
				return true
			}
			if copies.MatchString(text) {
				if seen++; !own[path.Dir(name)] {
					t.Errorf("%s: %q: a copy of what somebody gives is the same again", name, text)
				}
			}
			if strings.Contains(text, "damaged") && strings.Contains(text, ": ") {
				if seen++; !cure.MatchString(text) {
					t.Errorf("%s: %q names no cure", name, text)
				}
			}
			return false
		})
		return nil
	})
	if seen < 20 {
		t.Errorf("%d texts are looked at, want at least 20", seen)
	}
}
