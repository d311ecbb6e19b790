//go:build !darwin

package machine

// processorModel returns the name of the processor; "" if unknown.
func processorModel() string { return procValue("/proc/cpuinfo", "model name") }

// PeakMemory returns the largest amount of memory, in bytes, that the process has had at a time
// since it started or since ResetPeakMemory; 0 if the system doesn't count it.
func PeakMemory() int64 { return kilobytes("/proc/self/status", "VmHWM") }
