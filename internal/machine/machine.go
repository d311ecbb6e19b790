// Package machine describes the computer that a program runs on, and how much memory the program
// has taken.
package machine

import (
	"bufio"
	"bytes"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"golang.org/x/sys/cpu"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Machine describes all that results depend on, except for the program. It holds no name by which a
// particular computer could be found.
type Machine struct {
	// of the processor, for example "AMD EPYC"; "" if unknown
	Model string `json:"model"`
	// architecture and vector instructions, for example "amd64 AVX2 FMA"
	Instructions string `json:"instructions"`
	// that the program may use: of affinity, control group and GOMAXPROCS, the least
	Cores  int    `json:"cores"`
	Memory int64  `json:"memory_bytes"` // of the computer; 0 if unknown
	System string `json:"system"`       // for example "linux/amd64"
}

// usableCores is counted when the program starts, because some callers change GOMAXPROCS for a
// while. Go sets it by the quota of the control group, for example a container's, which NumCPU
// doesn't know.
var usableCores = min(runtime.NumCPU(), runtime.GOMAXPROCS(0))

// Describe looks at the machine.
func Describe() Machine {
	memory, _ := memlimit.FromSystem() // 0 after an error
	return Machine{
		Model:        processorModel(),
		Instructions: Instructions(),
		Cores:        usableCores,
		Memory:       int64(memory),
		System:       runtime.GOOS + "/" + runtime.GOARCH,
	}
}

// String describes the machine in a line, "AMD EPYC 7763, 2 cores, linux/amd64".
func (m Machine) String() string {
	description := quantity.Count(m.Cores, "core") + ", " + m.System
	if m.Model != "" {
		return m.Model + ", " + description
	}
	return description
}

// Instructions names the architecture and the vector instructions that matter for the kernels.
func Instructions() string {
	features := []string{runtime.GOARCH}
	for _, feature := range []struct {
		name  string
		found bool
	}{
		{"AVX2", cpu.X86.HasAVX2}, {"FMA", cpu.X86.HasFMA}, {"AVX-512", cpu.X86.HasAVX512F},
		{"NEON", cpu.ARM64.HasASIMD},
	} {
		if feature.found {
			features = append(features, feature.name)
		}
	}
	return strings.Join(features, " ")
}

// BuildSetting returns how this program was built, by a key of debug.BuildSetting, for example
// "vcs.revision"; "" if unknown.
func BuildSetting(key string) string {
	info, _ := debug.ReadBuildInfo()
	if info == nil {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == key {
			return setting.Value
		}
	}
	return ""
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

// kilobytes returns the bytes of a value "1234 kB", or 0 without one.
func kilobytes(path, key string) int64 {
	count, err := strconv.ParseInt(strings.TrimSuffix(procValue(path, key), " kB"), 10, 64)
	if err != nil {
		return 0
	}
	return count << 10
}

// ResetPeakMemory returns unused memory to the system and restarts PeakMemory from the rest. macOS
// can't: there the peak stays.
func ResetPeakMemory() {
	debug.FreeOSMemory()
	const resetPeak = "5" // proc(5), clear_refs
	if file, err := os.OpenFile("/proc/self/clear_refs", os.O_WRONLY, 0); err == nil {
		_, _ = file.WriteString(resetPeak) // without it, the count continues
		_ = file.Close()
	}
}

// MemoryLimit returns the process's memory limit in bytes: the least of the computer's memory and
// the limits of its control group (a container's, for example) and address space (`ulimit -v`); 0
// if unknown.
func MemoryLimit() (limit int64) {
	for _, read := range []memlimit.Provider{memlimit.FromSystem, memlimit.FromCgroup,
		addressSpace} {
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
