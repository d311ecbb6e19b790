package nbbnn

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
)

// hardware describes the machine, such as "AMD EPYC 7763, 2 cores, linux/amd64".
func hardware() string {
	description := fmt.Sprintf("%d cores, %s/%s", runtime.NumCPU(), runtime.GOOS, runtime.GOARCH)
	if model := procValue("/proc/cpuinfo", "model name"); model != "" {
		return model + ", " + description
	}
	return description
}

// peakMemory is the largest amount of memory that the process has had at a time, in bytes; 0 where the system keeps no
// account of it in /proc.
func peakMemory() int64 {
	kilobytes, err := strconv.ParseInt(strings.TrimSuffix(procValue("/proc/self/status", "VmHWM"), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return kilobytes << 10
}

// procValue returns the first value of a key in a file of lines "key : value", "" if there is none.
func procValue(path, key string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		name, value, found := strings.Cut(lines.Text(), ":")
		if found && strings.TrimSpace(name) == key {
			return strings.TrimSpace(value)
		}
	}
	return ""
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
