package engine

import (
	"regexp"
	"strings"
)

// failures are an engine's failures with a special cure, by the libraries' messages; go-xla gives
// XLA's status as a number. The first match counts.
var failures = []struct {
	says *regexp.Regexp
	cure string
}{
	{
		regexp.MustCompile(
			`(?i)\(code=8\)|RESOURCE[_ ]EXHAUSTED|OUT_OF_MEMORY|out of memory|STATUS_ALLOC_FAILED`),
		"the GPU has too little free memory: nvidia-smi shows what else is on it; end that, or " +
			"wait for it"},
	{
		regexp.MustCompile(
			`(?i)driver version is insufficient|INSUFFICIENT_DRIVER|SYSTEM_DRIVER_MISMATCH`),
		"the NVIDIA driver is older than the plugin asks for: update the driver, or take a " +
			"plugin for an older CUDA"},
	{
		regexp.MustCompile(
			`(?i)NO_DEVICE|no CUDA-capable device|no visible|NO_BINARY_FOR_GPU|no kernel image`),
		"nvidia-smi lists the GPUs, CUDA_VISIBLE_DEVICES hides them, a container gets them with " +
			"docker run --gpus all, and " + backendVariable + "=go does without"},
	{regexp.MustCompile(`(?i)libcuda\.so|UNKNOWN: CUDA|failed call to cuInit`),
		"the NVIDIA driver isn't installed here, or its libcuda.so.1 isn't found"},
	{regexp.MustCompile(`(?i)symbol "?GetPjrtApi`),
		"it's a library, but no XLA plugin: correct the path in " + backendVariable},
	{regexp.MustCompile(`(?i)unknown plugin options|failed to parse option`),
		"correct the options, which follow the first comma in " + backendVariable +
			", for example tf32=false, preallocate or memory_fraction=0.5"},
	{regexp.MustCompile(`(?i)cannot open shared object file`),
		"a library that it needs is missing: install it, or name its folder in LD_LIBRARY_PATH"},
	{regexp.MustCompile(`(?i)GLIBC|undefined symbol`),
		"it's made for a newer system than this one: bring an older plugin"},
	{
		regexp.MustCompile(
			`(?i)unexpected PJRT\w* size|struct_size|API version|UNIMPLEMENTED|\(code=12\)`),
		"its version doesn't fit this program: bring a newer plugin"},
	{regexp.MustCompile(`(?i)ptxas|libdevice`),
		"it misses ptxas or libdevice: name the folder of NVIDIA's CUDA package with " +
			"XLA_FLAGS=--xla_gpu_cuda_data_dir=FOLDER"},
}

// cureOf returns the cure for an engine's failure.
func cureOf(err error) string {
	for _, failure := range failures {
		if failure.says.MatchString(err.Error()) {
			return failure.cure
		}
	}
	return "use another, or " + backendVariable + "=go"
}

// OutOfMemory reports whether a computation failed because its device had too little memory, and
// how much the engine says it asked for; "" if unknown.
func OutOfMemory(err error) (asked string, is bool) {
	if err == nil || !failures[0].says.MatchString(err.Error()) {
		return "", false
	}
	if words := allocation.FindStringSubmatch(err.Error()); words != nil {
		asked = strings.TrimSpace(words[1])
	}
	return asked, true
}

// allocation finds the size in "Out of memory while trying to allocate 12.5GiB", "Out of memory
// allocating 1234 bytes" and "Failed to allocate request for 32.00MiB (33554432B)".
var allocation = regexp.MustCompile(
	`(?i)allocat(?:e|ing)(?:\s+request\s+for)?\s+([0-9][0-9.,]*\s*(?:bytes|[KMGT]?i?B))`)
