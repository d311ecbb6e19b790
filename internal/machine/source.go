package machine

import (
	"runtime/debug"
	"strings"
)

const workbench = "github.com/nbbnn/workbench"

// built is the commit that a build without a repository is told, as images are:
// -ldflags=-X=github.com/nbbnn/workbench/internal/machine.built=COMMIT, with "-dirty" behind it if
// files had changed; the Makefile and images without a repository give the sources' checksum.
var built string

// Source returns the origin of the workbench in this program: the commit of its repository, or the
// version and checksum of its module; "unknown" for a copy of the sources in no repository.
// modified reports files that aren't in the commit.
func Source() (source string, modified bool) {
	info, _ := debug.ReadBuildInfo()
	return sourceOf(info, built)
}

// Version is Source in one line.
func Version() string {
	source, modified := Source()
	if modified {
		return source + ", with changes"
	}
	return source
}

// Short returns a source without a module's checksum, or the first 12 digits of its commit.
func Short(source string) string {
	source, _, _ = strings.Cut(source, " ")
	if strings.HasPrefix(source, "v") {
		return source
	}
	return source[:min(12, len(source))]
}

func sourceOf(info *debug.BuildInfo, built string) (source string, modified bool) {
	if built != "" {
		return strings.CutSuffix(built, "-dirty")
	}
	if info == nil {
		return "unknown", false
	}
	module := &info.Main
	for _, dependency := range info.Deps {
		if dependency.Path == workbench {
			module = dependency
		}
	}
	settings := map[string]string{}
	for _, setting := range info.Settings {
		settings[setting.Key] = setting.Value
	}
	if commit := settings["vcs.revision"]; module == &info.Main && commit != "" {
		return commit, settings["vcs.modified"] == "true"
	}
	if module.Replace != nil || module.Sum == "" {
		return "unknown", false
	}
	return module.Version + " " + module.Sum, false
}
