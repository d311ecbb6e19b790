package machine

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
)

// PeakMemory returns the largest amount of memory, in bytes, that the process has had at a time
// since it started or since ResetPeakMemory; 0 if the system doesn't count it.
func PeakMemory() int64 { return peakMemory() }

// ResetPeakMemory returns unused memory to the system and lets PeakMemory count from what is left.
// macOS can't: there the count continues.
func ResetPeakMemory() {
	debug.FreeOSMemory()
	const resetPeak = "5" // proc(5), clear_refs
	if file, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		_, _ = file.WriteString(resetPeak) // without it, the count continues
		_ = file.Close()
	}
}

// MemoryLimit returns how much memory, in bytes, the process may have: what the computer has, or
// the limit of its control group, such as a container's, or of its address space (`ulimit -v`), if
// that is lower; 0 if unknown.
func MemoryLimit() (limit int64) {
	for _, read := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup, addressSpace} {
		if bytes, err := read(); err == nil && bytes > 0 && (limit == 0 || bytes < uint64(limit)) {
			limit = int64(min(bytes, 1<<62))
		}
	}
	return limit
}

// addressSpace returns the limit of the address space, which some clusters set.
func addressSpace() (uint64, error) {
	data, err := os.ReadFile("/proc/self/limits")
	if err != nil {
		return 0, err
	}
	_, line, _ := strings.Cut(string(data), "Max address space")
	soft, _, _ := strings.Cut(strings.TrimSpace(line), " ")
	return strconv.ParseUint(soft, 10, 64) // "unlimited" is none
}
