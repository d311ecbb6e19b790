package machine

import (
	"os"
	"runtime/debug"

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
// the limit of its control group, such as a container's, if that is lower; 0 if unknown.
func MemoryLimit() (limit int64) {
	for _, read := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup} {
		if bytes, err := read(); err == nil && bytes > 0 && (limit == 0 || bytes < uint64(limit)) {
			limit = int64(min(bytes, 1<<62))
		}
	}
	return limit
}
