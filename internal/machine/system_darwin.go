package machine

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// processorModel returns the name of the processor, for example "Apple M1"; "" if unknown.
func processorModel() string {
	name, _ := unix.Sysctl("machdep.cpu.brand_string") // "" after an error
	return name
}

// PeakMemory returns the largest amount of memory, in bytes, that the process has had at a time
// since it started; 0 if unknown. macOS can't reset it.
func PeakMemory() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss
}
