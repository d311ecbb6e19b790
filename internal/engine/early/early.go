// Package early keeps a line of go-xla's log off the terminal. Without a home directory go-xla
// logs, as it's initialised, that it won't look for plugins there, before any output of a command.
// Package engine reports the paths of plugins.
//
// It imports only the standard library, so it's initialised before go-xla, which imports log.
package early

import "os"

// Plugins is the variable of the folders of plugins. Where it's set, go-xla looks for no home.
const Plugins = "PJRT_PLUGIN_LIBRARY_PATH"

var hidden bool

func init() {
	if _, set := os.LookupEnv(Plugins); set {
		return
	}
	if _, err := os.UserHomeDir(); err != nil {
		hidden = os.Setenv(Plugins, "") == nil
	}
}

// Restore restores the environment. A package that imports go-xla calls it in its init.
func Restore() {
	if hidden {
		_ = os.Unsetenv(Plugins)
	}
	hidden = false
}
