package nbbnn

import (
	"fmt"
	"runtime/debug"

	"github.com/nbbnn/workbench/internal/machine"
)

// hardware describes the machine, such as "AMD EPYC 7763, 2 cores, linux/amd64".
func hardware() string {
	m := machine.Describe()
	description := fmt.Sprintf("%d cores, %s", m.Cores, m.System)
	if m.Model != "" {
		return m.Model + ", " + description
	}
	return description
}

// commit returns the revision of the repository that the program was built from, and whether files had been changed.
func commit() (revision string, modified bool) {
	revision = "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return revision, false
	}
	for _, setting := range info.Settings {
		switch setting.Key {
		case "vcs.revision":
			revision = setting.Value
		case "vcs.modified":
			modified = setting.Value == "true"
		}
	}
	return revision, modified
}
