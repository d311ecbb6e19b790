// Command plugin brings XLA's plugin for processors with go-xla's own installer, for images and for
// machines that no pinned package is for, Macs with Apple silicon:
//
//	go run ./tools/plugin bin/plugins
//
// It comes from the releases of gomlx/pjrt-cpu-binaries, which have no checksums.
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gomlx/go-xla/installer"
)

func main() {
	log.SetFlags(0)
	if err := run(os.Args[1:], runtime.GOOS+"_"+runtime.GOARCH); err != nil {
		log.Fatal("xla-cpu  ", err)
	}
}

// run installs the plugin for a platform (darwin_arm64), which must be this one.
func run(arguments []string, platform string) error {
	if len(arguments) != 1 {
		return fmt.Errorf("%q: give only the folder of the plugin", arguments)
	}
	if !slices.Contains(installer.CPUSupportedPlatforms, platform) {
		return fmt.Errorf("go-xla has no plugin for %s, only for %s: the pure-Go engine needs none",
			platform, strings.Join(installer.CPUSupportedPlatforms, ", "))
	}
	folder, err := filepath.Abs(arguments[0])
	if err != nil {
		return err
	}
	const useCache = false
	if err := installer.CPUAutoInstall(folder, useCache, installer.Quiet); err != nil {
		return fmt.Errorf("the plugin can't be downloaded: %w: its releases are at "+
			"https://github.com/gomlx/pjrt-cpu-binaries", err)
	}
	return nil
}
