package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/kernel/executor"
)

func TestOpenIsTheSameEngineEveryTime(t *testing.T) {
	first, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	second, err := Open()
	if err != nil || second != first {
		t.Errorf("Open() again = %p, %v, want %p", second, err, first)
	}
	if first.Backend == nil || first.Name == "" || first.Cores < 1 || first.Reason == "" {
		t.Errorf("Open() = %+v, want all fields", first)
	}
}

// pluginFolder makes a folder with a file in the place of a plugin.
func pluginFolder(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, name), []byte("not a library"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestChooseNamesTheCureInOneLine(t *testing.T) {
	broken := pluginFolder(t, "pjrt_c_api_cpu_plugin.so")
	for _, test := range []struct {
		name     string
		settings settings
		want     string // part of the error
	}{
		{"mistyped backend", settings{backend: "xal:cpu"}, `"xal:cpu" (did you mean "xla"?)`},
		{"unknown backend", settings{backend: "tensorflow"}, "use go, xla:cpu, xla:cuda"},
		{"mistyped kernels", settings{kernels: "avx3"}, `NBBNN_KERNELS is "avx3" (did you mean "avx2"?)`},
		{"mistyped kernels beside a backend", settings{backend: "xla:cpu", kernels: "avx3"}, `NBBNN_KERNELS is "avx3"`},
		{"mistyped kernels beside a GPU", settings{gpu: true, kernels: "avx3"}, `NBBNN_KERNELS is "avx3"`},
		{"unknown option", settings{backend: "go:ops_sequentially"}, "unset GOMLX_BACKEND"},
		{"no plugin", settings{backend: "xla:cpu"}, "engine: no XLA"},
		{"no plugin at all", settings{backend: "xla"}, "engine: no XLA"},
		{"no file", settings{backend: "xla:/nowhere/plugin.so"}, "engine: "},
		{"no library", settings{backend: "xla:cpu", plugins: []string{broken}}, "engine: "},
		{"not a plugin's option", settings{backend: "xla:cpu,turbo", plugins: []string{broken}}, "engine: "},
	} {
		engine, err := test.settings.choose()
		if err == nil {
			t.Errorf("%s: got %s, want an error", test.name, engine.Name)
			continue
		}
		if message := err.Error(); !strings.Contains(message, test.want) || !strings.HasPrefix(message, "engine: ") || strings.Contains(message, "\n") {
			t.Errorf("%s: got %q, want one line with %q", test.name, message, test.want)
		}
	}
}

func TestFindPluginKnowsTheNamesOfTheInstallers(t *testing.T) {
	for _, test := range []struct{ file, name string }{
		{"pjrt_c_api_cpu_plugin.so", cpuPlugin},
		{"pjrt_c_api_cpu_v0.83.1_plugin.so", cpuPlugin},
		{"pjrt_c_api_cuda_plugin.so", cudaPlugin},
		{"pjrt-plugin-cuda.so", cudaPlugin},
		{"pjrt_plugin_cpu.dylib", cpuPlugin},
	} {
		folder := pluginFolder(t, test.file)
		got, err := settings{plugins: []string{folder}}.findPlugin(test.name)
		if want := filepath.Join(folder, test.file); err != nil || got != want {
			t.Errorf("findPlugin(%s) = %q, %v, want %q", test.name, got, err, want)
		}
	}
}

// reinstallKernels undoes, at the end of a test, what it did to the kernels of the process.
func reinstallKernels(t *testing.T) {
	t.Cleanup(func() {
		if _, err := settingsFromEnvironment().openGo("", "test"); err != nil {
			t.Error(err)
		}
	})
}

func TestBrokenGPUPluginFallsBackWithAdvice(t *testing.T) {
	reinstallKernels(t)
	folder := pluginFolder(t, "pjrt_c_api_cuda_plugin.so")
	engine, err := settings{kernels: "off", plugins: []string{folder}, gpu: true}.choose()
	if err != nil {
		t.Fatal(err)
	}
	if engine.Name != "go" || len(engine.Advice) < 2 {
		t.Errorf("got %s with advice %q, want go, with why not the kernels and why not the GPU", engine.Name, engine.Advice)
	}
	for _, line := range engine.Advice {
		if strings.Contains(line, "\n") {
			t.Errorf("advice %q has several lines", line)
		}
	}
}

func TestInspectReportsEveryCandidate(t *testing.T) {
	report := Inspect()
	if (report.Chosen == nil) == (report.Problem == "") || report.Processor == "" || report.Cores < 1 {
		t.Errorf("got %+v, want an engine or a problem, a processor and its cores", report)
	}
	for _, candidate := range report.Candidates {
		if candidate.Detail == "" {
			t.Errorf("candidate %s has no detail", candidate.Name)
		}
	}
}

func TestCandidatesFollowTheRule(t *testing.T) {
	for _, test := range []struct {
		kernels executor.Choice
		want    []string
	}{
		{executor.Off, []string{"xla:cuda", "go", "xla:cpu"}},
		{"none that a processor has", []string{"xla:cuda", "xla:cpu", "go"}},
	} {
		var got []string
		for _, candidate := range (settings{kernels: test.kernels}).candidates() {
			got = append(got, candidate.Name)
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("with kernels %q: got %q, want %q", test.kernels, got, test.want)
		}
	}
}

func TestKernelsOffStaysOnPureGo(t *testing.T) {
	reinstallKernels(t)
	s := settingsFromEnvironment()
	s.backend, s.kernels, s.gpu = "", executor.Off, false
	engine, err := s.choose()
	if err != nil || engine.Name != "go" || !strings.Contains(engine.Reason, "NBBNN_KERNELS is off") {
		t.Errorf("got %+v, %v, want go because NBBNN_KERNELS is off", engine, err)
	}
}

func TestNamedXLALeavesCUDAAloneWithoutAGPU(t *testing.T) {
	s := settings{backend: "xla", plugins: []string{pluginFolder(t, "pjrt_c_api_cuda_plugin.so")}}
	if _, err := s.choose(); err == nil || strings.Contains(err.Error(), "cuda") {
		t.Errorf("got %v, want an error that is not about cuda", err)
	}
}

func TestGoConfigurationStaysSequential(t *testing.T) {
	for _, test := range []struct{ options, want string }{
		{"", "ops_sequential"},
		{"creation_order", "ops_sequential,creation_order"},
		{"parallelism=2,dependency_order", "ops_sequential,parallelism=2,dependency_order"},
		{"ops_parallel", "ops_parallel"},
		{"parallelism=2,ops_parallel", "parallelism=2,ops_parallel"},
		{"ops_sequential,parallelism=2", "ops_sequential,parallelism=2"},
	} {
		if got := goConfiguration(test.options); got != test.want {
			t.Errorf("goConfiguration(%q) = %q, want %q", test.options, got, test.want)
		}
	}
}

func TestHasGPUByTheDriversFiles(t *testing.T) {
	plugins := []string{pluginFolder(t, "pjrt_c_api_cuda_plugin.so")}
	for _, test := range []struct {
		device  string
		plugins []string
		want    bool
	}{
		{"nvidia0", nil, true}, {"nvidiactl", plugins, false}, {"dxg", plugins, true}, {"dxg", nil, false}, {"sda", plugins, false},
	} {
		devices := pluginFolder(t, test.device)
		if got := (settings{plugins: test.plugins}).hasGPU(devices); got != test.want {
			t.Errorf("with %s and plugins %q: hasGPU() = %v, want %v", test.device, test.plugins, got, test.want)
		}
	}
}

func TestKindOfPluginByTheNameOfItsFile(t *testing.T) {
	for _, test := range []struct{ path, want string }{
		{"/opt/cuda/pjrt_c_api_cpu_plugin.so", cpuPlugin},
		{"/home/cpu/pjrt_c_api_CUDA_plugin.so", cudaPlugin},
		{"/opt/nvidia/rocm.so", "rocm.so"},
	} {
		if got := kindOfPlugin(test.path); got != test.want {
			t.Errorf("kindOfPlugin(%q) = %q, want %q", test.path, got, test.want)
		}
	}
}
