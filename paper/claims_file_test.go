package paper

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// breaches lists where a JSON value breaks a schema, of which it knows the keywords that
// claims.schema.json has.
func breaches(schema map[string]any, value any, at string) (all []string) {
	say := func(format string, args ...any) { all = append(all, at+": "+fmt.Sprintf(format, args...)) }
	if enum, has := schema["enum"].([]any); has && !slices.Contains(enum, value) {
		say("%v isn't one of %v", value, enum)
	}
	kinds := map[string]bool{}
	number, isNumber := value.(float64)
	kinds["number"], kinds["integer"] = isNumber, isNumber && number == float64(int(number))
	_, kinds["string"] = value.(string)
	_, kinds["boolean"] = value.(bool)
	list, isList := value.([]any)
	object, isObject := value.(map[string]any)
	kinds["array"], kinds["object"] = isList, isObject
	if kind, has := schema["type"].(string); has && !kinds[kind] {
		say("%v is no %s", value, kind)
	}
	if least, has := schema["minimum"].(float64); has && number < least {
		say("%g is below %g", number, least)
	}
	if least, has := schema["minItems"].(float64); has && len(list) < int(least) {
		say("%d items", len(list))
	}
	if most, has := schema["maxItems"].(float64); has && len(list) > int(most) {
		say("%d items", len(list))
	}
	for i, item := range list {
		all = append(all, breaches(schema["items"].(map[string]any), item, fmt.Sprintf("%s[%d]", at, i))...)
	}
	properties, _ := schema["properties"].(map[string]any)
	required, _ := schema["required"].([]any)
	for _, key := range required {
		if _, has := object[key.(string)]; !has {
			say("%s is missing", key)
		}
	}
	for key, item := range object {
		if property, known := properties[key].(map[string]any); known {
			all = append(all, breaches(property, item, at+"."+key)...)
		} else if schema["additionalProperties"] == false {
			say("%s is unknown", key)
		}
	}
	return all
}

// The committed claims keep their schema, which refuses what isn't a claim, and are those of the
// reports.
func TestClaimsKeepTheirSchema(t *testing.T) {
	var schema map[string]any
	testkit.NoError(t, readJSON(filepath.Join(resultsFolder, "claims.schema.json"), &schema))
	var claims []any
	testkit.NoError(t, readJSON(filepath.Join(resultsFolder, claimsFile), &claims))
	if all := breaches(schema, claims, "claims"); len(all) > 0 {
		t.Errorf("%d breaches, the first: %s", len(all), all[0])
	}
	results := map[string]bool{}
	for _, claim := range claims {
		results[claim.(map[string]any)["result"].(string)] = true
	}
	for _, want := range []string{"figure-03-quick", "figure-06-desk", "beyond/latent-scale", "beyond/components"} {
		if !results[want] {
			t.Errorf("no claim of %s", want)
		}
	}
	first := claims[0].(map[string]any)
	first["verdict"], first["seeds"], first["p"] = "true", -0.5, 0.01
	delete(first, "claim")
	all := strings.Join(breaches(schema, claims, "claims"), "\n")
	for _, want := range []string{"true isn't one of", "-0.5 is no integer", "-0.5 is below 0", "claim is missing", "p is unknown"} {
		if !strings.Contains(all, want) {
			t.Errorf("a damaged claim isn't said to be damaged: want %q in %s", want, all)
		}
	}
}
