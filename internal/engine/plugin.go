package engine

import (
	"cmp"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// The plugins that we look for.
const (
	cudaPlugin = "cuda"
	cpuPlugin  = "cpu"
)

// pluginFolders lists where plugins are looked for: PJRT_PLUGIN_LIBRARY_PATH, or the folder
// "plugins" next to this program, which make xla-cpu fills, the folders of go-xla's installer and
// of the dynamic linker's variable.
func pluginFolders() []string {
	if folders, set := os.LookupEnv(pluginsVariable); set {
		return existing(filepath.SplitList(folders))
	}
	var folders []string
	if program, err := os.Executable(); err == nil {
		folders = append(folders, filepath.Join(filepath.Dir(program), "plugins"))
	}
	if home, err := os.UserHomeDir(); err == nil {
		folders = append(folders, homeFolders(home)...)
	}
	folders = append(folders, installed("/usr/local/lib")...)
	return existing(append(folders, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...))
}

func homeFolders(home string) []string {
	if runtime.GOOS == "darwin" {
		support := filepath.Join(home, "Library", "Application Support")
		return []string{filepath.Join(support, "go-xla"), filepath.Join(support, "GoMLX", "PJRT")}
	}
	return installed(filepath.Join(home, ".local", "lib"))
}

// installed returns the folders that go-xla's installer, and its predecessor's, fill.
func installed(parent string) []string {
	return []string{filepath.Join(parent, "go-xla"), filepath.Join(parent, "go-xla", "nvidia"),
		filepath.Join(parent, "gomlx", "pjrt")}
}

// existing keeps the absolute folders that exist.
func existing(folders []string) []string {
	return slices.DeleteFunc(folders, func(folder string) bool {
		info, err := os.Stat(folder)
		return !filepath.IsAbs(folder) || err != nil || !info.IsDir()
	})
}

// findPlugin returns the path of a plugin: its own path, or its name in one of the folders.
func findPlugin(folders []string, name string) (string, error) {
	if filepath.IsAbs(name) || strings.ContainsRune(name, filepath.Separator) {
		return pluginAt(name)
	}
	for _, folder := range folders {
		if path, found := pluginIn(folder, name); found {
			return path, nil
		}
	}
	cure := ""
	if name == cpuPlugin {
		cure = "`make xla-cpu` in a clone brings one; else "
	}
	return "", fmt.Errorf("engine: no XLA plugin for %s on this machine: %sname one with "+
		"%s=xla:/path/to/plugin.so, or its folder with %s",
		name, cure, backendVariable, pluginsVariable)
}

// pluginPatterns match installers' names of a plugin; the last is JAX's.
var pluginPatterns = strings.Fields("pjrt_c_api_%s_plugin.* pjrt_c_api_%s_v*_plugin.* " +
	"pjrt-plugin-%s.* pjrt_plugin_%s.* xla_%s_plugin.*")

// pluginIn looks for a plugin in a folder.
func pluginIn(folder, name string) (path string, found bool) {
	for _, pattern := range pluginPatterns {
		paths, err := filepath.Glob(filepath.Join(folder, fmt.Sprintf(pattern, name)))
		if err != nil {
			continue // a folder with a bracket in its name
		}
		for _, path := range paths {
			if slices.Contains([]string{".so", ".dylib", ".dll"}, filepath.Ext(path)) {
				return path, true
			}
		}
	}
	return "", false
}

// pluginAt checks that a plugin is a file.
func pluginAt(path string) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", fmt.Errorf("engine: XLA plugin %s: %w", path, err)
	}
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", fmt.Errorf("engine: %s is no XLA plugin: there is no such file: correct the "+
			"path in %s", path, backendVariable)
	}
	return path, nil
}

// kindOfPlugin returns the hardware of a plugin, from its file name.
func kindOfPlugin(path string) string {
	name := filepath.Base(path)
	for _, kind := range []string{cudaPlugin, cpuPlugin} {
		if strings.Contains(strings.ToLower(name), kind) {
			return kind
		}
	}
	return name
}

// hasGPU reports whether an NVIDIA GPU is present: its driver makes a file for each in the folder
// of devices. Linux inside Windows has one file for GPUs of any maker, so there it takes a CUDA
// plugin in one of the folders of plugins, too.
func hasGPU(devices string, plugins []string) bool {
	if files, err := filepath.Glob(filepath.Join(devices, "nvidia[0-9]*")); err == nil &&
		len(files) > 0 {
		return true
	}
	if _, err := os.Stat(filepath.Join(devices, "dxg")); err != nil {
		return false
	}
	_, err := findPlugin(plugins, cudaPlugin)
	return err == nil
}

// GPUs names the NVIDIA GPUs that Open would compute on, as CUDA_VISIBLE_DEVICES takes them: that
// variable's, or all that the driver shows. It returns none if Open prefers another engine. It
// opens nothing.
func GPUs() []string {
	if !settingsFromEnvironment().prefersCUDA() {
		return nil
	}
	return visibleGPUs("/dev", os.LookupEnv)
}

// IsOnCores reports whether Open would compute on the cores of the processor with the pure-Go
// engine, judging by the environment. It opens nothing.
func IsOnCores() bool {
	s := settingsFromEnvironment()
	name, _, _ := strings.Cut(s.backend, ":")
	return !slices.Contains(xlaNames, name) && !s.prefersCUDA()
}

// prefersCUDA reports whether choose tries a CUDA plugin first, and one exists.
func (s settings) prefersCUDA() bool {
	backend, config, _ := strings.Cut(s.backend, ":")
	plugin, _, _ := strings.Cut(config, ",")
	switch {
	case !builtWithXLA, backend != "" && !slices.Contains(xlaNames, backend):
		return false
	case plugin == "" && !s.gpu, plugin != "" && kindOfPlugin(plugin) != cudaPlugin:
		return false
	}
	_, err := findPlugin(s.plugins, cmp.Or(plugin, cudaPlugin))
	return err == nil
}

// visibleGPUs counts the driver's files in the folder of devices. CUDA numbers GPUs from 0 even if
// a container's files don't.
func visibleGPUs(devices string, lookup func(string) (string, bool)) (gpus []string) {
	if visible, set := lookup("CUDA_VISIBLE_DEVICES"); set {
		return listedGPUs(visible)
	}
	files, _ := filepath.Glob(filepath.Join(devices, "nvidia[0-9]*")) // the pattern is well formed
	for number := range files {
		gpus = append(gpus, strconv.Itoa(number))
	}
	return gpus
}

// listedGPUs returns the GPUs of a list as CUDA reads it: up to the first number below 0.
func listedGPUs(list string) (gpus []string) {
	for _, gpu := range strings.Split(list, ",") {
		if gpu = strings.TrimSpace(gpu); gpu == "" || strings.HasPrefix(gpu, "-") {
			break
		}
		gpus = append(gpus, gpu)
	}
	return gpus
}

// machines are the processors that a program can run on, by Go's name.
var machines = map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64}

// checkPluginFile reports an error, before the system loads the file, if it's no library or one for
// another processor. It checks only on Linux.
func checkPluginFile(path string) error {
	if runtime.GOOS != "linux" {
		return nil
	}
	file, err := elf.Open(path)
	if err != nil {
		return fmt.Errorf("it's no shared library: %w: bring it again, perhaps only a part of it "+
			"came", err)
	}
	defer func() { _ = file.Close() }() // it was only read
	if want, known := machines[runtime.GOARCH]; known && file.Machine != want {
		return fmt.Errorf("it's made for %v, this program for %v: bring the plugin for this "+
			"machine", file.Machine, want)
	}
	return nil
}
