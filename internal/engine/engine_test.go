package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
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

func TestBrokenGPUPluginFallsBackWithAdvice(t *testing.T) {
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
	for i, want := range []string{"xla:cuda", "go", "xla:cpu"} {
		if got := report.Candidates[i]; got.Name != want || got.Detail == "" {
			t.Errorf("candidate %d: got %+v, want %s with a detail", i, got, want)
		}
	}
}
