package engine

import (
	"os"
	"path/filepath"
	"strings"
)

// flagsVariable is XLA's variable for flags.
const flagsVariable = "XLA_FLAGS"

// findCUDATools tells XLA where NVIDIA's compiler and its library stand in a Python environment that holds the plugin, in
// SITE/jax_plugins/xla_cuda13: SITE/nvidia/cu13, or SITE/nvidia/cuda_nvcc for CUDA 12. A user's own flag stays.
func findCUDATools(plugin string) {
	flags := os.Getenv(flagsVariable)
	if strings.Contains(flags, "xla_gpu_cuda_data_dir") {
		return
	}
	site := filepath.Dir(filepath.Dir(filepath.Dir(plugin)))
	for _, name := range []string{"cu13", "cuda_nvcc"} {
		folder := filepath.Join(site, "nvidia", name)
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			flags = strings.TrimSpace(flags + " --xla_gpu_cuda_data_dir=" + folder)
			_ = os.Setenv(flagsVariable, flags) // it fails for names that no variable can have only
			return
		}
	}
}
