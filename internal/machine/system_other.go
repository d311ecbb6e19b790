//go:build !darwin

package machine

// processorModel returns the name of the processor; "" if unknown.
func processorModel() string { return procValue("/proc/cpuinfo", "model name") }

// peakMemory returns the largest resident size of the process since it started, or since the kernel
// was told to reset it; 0 if unknown.
func peakMemory() int64 { return kilobytes("/proc/self/status", "VmHWM") }
