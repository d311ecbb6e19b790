package machine

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// processorModel returns the name of the processor, such as "Apple M1"; "" if unknown.
func processorModel() string {
	name, _ := unix.Sysctl("machdep.cpu.brand_string") // "" after an error
	return name
}

// peakMemory returns the largest resident size of the process since it started; 0 if unknown. macOS
// counts it in bytes and can't reset it.
func peakMemory() int64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return usage.Maxrss
}
