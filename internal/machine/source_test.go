package machine

import (
	"runtime/debug"
	"testing"
)

// A program says what the workbench in it was made from, not what its own repository holds.
func TestSource(t *testing.T) {
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "c0ffee"},
		{Key: "vcs.modified", Value: "true"}}
	here := debug.Module{Path: workbench, Version: "v0.1.0", Sum: "h1:abc="}
	unsaved := debug.Module{Path: workbench, Version: "(devel)"}
	folder := debug.Module{Path: workbench, Replace: &debug.Module{Path: "../workbench"}}
	own := debug.Module{Path: "example.org/own", Version: "(devel)"}
	for name, c := range map[string]struct {
		info     *debug.BuildInfo
		built    string
		source   string
		modified bool
	}{
		"a clone":    {&debug.BuildInfo{Main: unsaved, Settings: commit}, "", "c0ffee", true},
		"an image":   {&debug.BuildInfo{Main: unsaved}, "beef-dirty", "beef", true},
		"its module": {&debug.BuildInfo{Main: here}, "", "v0.1.0 h1:abc=", false},
		"a copy":     {&debug.BuildInfo{Main: unsaved}, "", "unknown", false},
		"no facts":   {nil, "", "unknown", false},
		"a dependency": {&debug.BuildInfo{Main: own, Deps: []*debug.Module{&here},
			Settings: commit}, "", "v0.1.0 h1:abc=", false},
		"a folder": {&debug.BuildInfo{Main: own, Deps: []*debug.Module{&folder},
			Settings: commit}, "", "unknown", false},
	} {
		if source, modified := sourceOf(c.info, c.built); source != c.source ||
			modified != c.modified {
			t.Errorf("%s: %q, modified %t; want %q, %t", name, source, modified, c.source,
				c.modified)
		}
	}
}

func TestShort(t *testing.T) {
	for source, want := range map[string]string{
		"0123456789abcdef": "0123456789ab", "unknown": "unknown",
		"v0.0.0-20261130214237-0123456789ab h1:abc=": "v0.0.0-20261130214237-0123456789ab",
	} {
		if got := Short(source); got != want {
			t.Errorf("%s is %s in short, want %s", source, got, want)
		}
	}
}
