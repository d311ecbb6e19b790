package network

import (
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The documentation of Tensor, an alias, shows its fields with their types.
func TestTensorIsDocumented(t *testing.T) {
	source := string(testkit.Must(os.ReadFile("variables.go"))(t))
	_, shown, _ := strings.Cut(source, "type Tensor struct {")
	shown, _, _ = strings.Cut(shown, "//\t}")
	found := regexp.MustCompile(`//\t\t(\w+) +(\S+)`).FindAllStringSubmatch(shown, -1)
	of := reflect.TypeFor[Tensor]()
	if len(found) != of.NumField() {
		t.Fatalf("%d fields are shown, want %d", len(found), of.NumField())
	}
	for i, match := range found {
		field := of.Field(i)
		want := strings.ReplaceAll(field.Type.String(), "uint8", "byte")
		if match[1] != field.Name || match[2] != want {
			t.Errorf("the documentation shows %s %s, want %s %s", match[1], match[2], field.Name,
				want)
		}
	}
}
