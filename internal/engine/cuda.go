package engine

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

const flagsVariable = "XLA_FLAGS"

// findCUDATools sets the paths of NVIDIA's compiler and its function library for XLA. A user's flag
// is kept.
func findCUDATools(plugin string) {
	flags := os.Getenv(flagsVariable)
	if strings.Contains(flags, "xla_gpu_cuda_data_dir") {
		return
	}
	for _, folder := range cudaFolders(plugin) {
		if hasFunctions(folder) {
			flags = strings.TrimSpace(flags + " --xla_gpu_cuda_data_dir=" + folder)
			_ = os.Setenv(flagsVariable, flags) // it fails for names that no variable can have only
			return
		}
	}
}

// cudaFolders lists where CUDA may be: in the Python environment that holds the plugin, in
// SITE/jax_plugins/xla_cuda13, which is SITE/nvidia/cu13, or SITE/nvidia/cuda_nvcc for CUDA 12;
// where the user says; where nvcc is; and where installers put it.
func cudaFolders(plugin string) []string {
	site := filepath.Dir(filepath.Dir(filepath.Dir(plugin)))
	folders := []string{filepath.Join(site, "nvidia", "cu13"), filepath.Join(site, "nvidia",
		"cuda_nvcc")}
	for _, variable := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if home := os.Getenv(variable); home != "" {
			folders = append(folders, home)
		}
	}
	if compiler, err := exec.LookPath("nvcc"); err == nil {
		if compiler, err = filepath.EvalSymlinks(compiler); err == nil {
			folders = append(folders, filepath.Dir(filepath.Dir(compiler)))
		}
	}
	versions, _ := filepath.Glob("/usr/local/cuda-*") // the pattern is well formed
	return append(append(folders, "/usr/local/cuda"), versions...)
}

// hasFunctions reports whether a folder of CUDA holds the library of functions, which XLA needs to
// compile a logarithm. Python installs CUDA in separate packages, so the folder may lack it.
func hasFunctions(folder string) bool {
	libraries, err := filepath.Glob(filepath.Join(folder, "nvvm", "libdevice", "*.bc"))
	return err == nil && len(libraries) > 0
}

// PrecisionVariable is NVIDIA's variable; with the value 0 its libraries compute float32 products
// in float32, otherwise in TF32, whose factors have 11 bits.
const PrecisionVariable = "NVIDIA_TF32_OVERRIDE"

// withPrecision adds PrecisionVariable's choice to a user's options, for XLA's own matrix products.
func withPrecision(options string) string {
	if os.Getenv(PrecisionVariable) != "0" || strings.Contains(options, "tf32") {
		return options
	}
	return strings.TrimPrefix(options+",tf32=false", ",")
}
