package engine

import (
	"debug/elf"
	"encoding/binary"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/purego/executor"
	"github.com/nbbnn/workbench/internal/testkit"
)

// pluginFolder makes a folder with a file in the place of a plugin.
func pluginFolder(t *testing.T, name string) string {
	t.Helper()
	folder := t.TempDir()
	testkit.NoError(t, os.WriteFile(filepath.Join(folder, name), []byte("not a library"), 0o600))
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
		{"no GPU", settings{backend: "xla:cuda"}, "no NVIDIA GPU, or no driver for it"},
		{"unknown backend", settings{backend: "tensorflow"}, "use go, xla:cpu, xla:cuda"},
		{"mistyped kernels", settings{kernels: "avx3"},
			`NBBNN_KERNELS is "avx3" (did you mean "avx2"?)`},
		{"mistyped kernels beside a backend", settings{backend: "xla:cpu", kernels: "avx3"},
			`NBBNN_KERNELS is "avx3"`},
		{"mistyped kernels beside a GPU", settings{gpu: true, kernels: "avx3"},
			`NBBNN_KERNELS is "avx3"`},
		{"unknown option", settings{backend: "go:ops_sequentially"}, "unset GOMLX_BACKEND"},
		{"operations at once", settings{backend: "go:parallelism=2,ops_parallel"}, "leave it out"},
		{"no plugin", settings{backend: "xla:cpu"}, "engine: no XLA"},
		{"no plugin at all", settings{backend: "xla"}, "engine: no XLA"},
		{"no file", settings{backend: "xla:/nowhere/plugin.so"}, "engine: "},
		{"no library", settings{backend: "xla:cpu", plugins: []string{broken}}, "engine: "},
		{"not a plugin's option", settings{backend: "xla:cpu,turbo", plugins: []string{broken}},
			"engine: "},
	} {
		engine, err := test.settings.choose()
		if err == nil {
			t.Errorf("%s: got %s, want an error", test.name, engine.Name)
			continue
		}
		if message := err.Error(); !strings.Contains(message, test.want) ||
			!strings.HasPrefix(message, "engine: ") || strings.Contains(message, "\n") {
			t.Errorf("%s: got %q, want one line with %q", test.name, message, test.want)
		}
	}
}

// A program without a home directory says nothing as it starts, and leaves the environment as it
// was.
func TestNoHomeIsNotLogged(t *testing.T) {
	if os.Getenv("NBBNN_TEST_HOMELESS") != "" {
		if _, set := os.LookupEnv(pluginsVariable); set {
			t.Error("the variable of the plugins is set")
		}
		return
	}
	again := exec.Command(os.Args[0], "-test.run=^TestNoHomeIsNotLogged$")
	again.Env = []string{"NBBNN_TEST_HOMELESS=1"}
	var log strings.Builder
	again.Stderr = &log
	if err := again.Run(); err != nil || log.Len() > 0 {
		t.Errorf("%v, and it logs %s", err, log.String())
	}
}

func TestFindPluginKnowsTheNamesOfTheInstallers(t *testing.T) {
	for _, test := range []struct{ file, name string }{
		{"pjrt_c_api_cpu_plugin.so", cpuPlugin},
		{"pjrt_c_api_cpu_v0.83.1_plugin.so", cpuPlugin},
		{"pjrt_c_api_cuda_plugin.so", cudaPlugin},
		{"pjrt-plugin-cuda.so", cudaPlugin},
		{"pjrt_plugin_cpu.dylib", cpuPlugin},
		{"xla_cuda_plugin.so", cudaPlugin},
	} {
		folder := pluginFolder(t, test.file)
		got, err := findPlugin([]string{folder}, test.name)
		if want := filepath.Join(folder, test.file); err != nil || got != want {
			t.Errorf("findPlugin(%s) = %q, %v, want %q", test.name, got, err, want)
		}
	}
}

// reinstallKernels undoes, at the end of a test, what it did to the kernels of the process.
func reinstallKernels(t *testing.T) {
	t.Cleanup(func() {
		if _, err := openGo(settingsFromEnvironment().kernels, "", "test"); err != nil {
			t.Error(err)
		}
	})
}

func TestBrokenGPUPluginFallsBackWithAdvice(t *testing.T) {
	reinstallKernels(t)
	folder := pluginFolder(t, "pjrt_c_api_cuda_plugin.so")
	engine := testkit.Must(settings{kernels: "off", plugins: []string{folder}, gpu: true}.choose())(
		t)
	if engine.Name != "go" || len(engine.Advice) < 2 {
		t.Errorf("got %s with advice %q, want go, with why not the kernels and why not the GPU",
			engine.Name, engine.Advice)
	}
	for _, line := range engine.Advice {
		if strings.Contains(line, "\n") {
			t.Errorf("advice %q has several lines", line)
		}
	}
}

func TestInspectReportsEveryCandidate(t *testing.T) {
	report := Inspect()
	if (report.Chosen == nil) == (report.Problem == "") || report.Processor == "" ||
		report.Cores < 1 {
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
	if err != nil || engine.Name != "go" ||
		!strings.Contains(engine.Reason, "NBBNN_KERNELS is off") {
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
		{"", "creation_order,ops_sequential"},
		{"creation_order", "creation_order,ops_sequential,creation_order"},
		{"parallelism=2,dependency_order",
			"creation_order,ops_sequential,parallelism=2,dependency_order"},
		{"ops_sequential,parallelism=2", "creation_order,ops_sequential,parallelism=2"},
	} {
		if got, err := goConfiguration(test.options); err != nil || got != test.want {
			t.Errorf("goConfiguration(%q) = %q, %v, want %q", test.options, got, err, test.want)
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
		{"nvidia0", nil, true}, {"nvidiactl", plugins, false}, {"dxg", plugins, true},
		{"dxg", nil, false}, {"sda", plugins, false},
	} {
		devices := pluginFolder(t, test.device)
		if got := hasGPU(devices, test.plugins); got != test.want {
			t.Errorf("with %s and plugins %q: hasGPU() = %v, want %v", test.device, test.plugins,
				got, test.want)
		}
	}
}

// Only a process that would compute with a CUDA plugin has GPUs to share.
func TestPrefersCUDA(t *testing.T) {
	cuda, none := pluginFolder(t, "pjrt_c_api_cuda_plugin.so"), t.TempDir()
	for _, test := range []struct {
		backend, folder string
		gpu, want       bool
	}{
		{"", cuda, true, true}, {"", cuda, false, false}, {"", none, true, false},
		{"go", cuda, true, false}, {"xla:cpu", cuda, true, false}, {"nothing", cuda, true, false},
		{"xla", cuda, true, true}, {"xla", cuda, false, false}, {"xla:cuda", none, true, false},
		{"xla:cuda", cuda, false, true}, {"xla:cuda,option=1", cuda, true, true},
		{"xla:" + filepath.Join(cuda, "pjrt_c_api_cuda_plugin.so"), none, true, true},
	} {
		s := settings{backend: test.backend, plugins: []string{test.folder}, gpu: test.gpu}
		if got, want := s.prefersCUDA(), test.want && builtWithXLA; got != want {
			t.Errorf("backend %q, a plugin %v, a GPU %v: prefersCUDA() = %v, want %v", test.backend,
				test.folder == cuda, test.gpu, got, want)
		}
	}
}

func TestVisibleGPUs(t *testing.T) {
	two := pluginFolder(t, "nvidia2")
	testkit.NoError(t, os.WriteFile(filepath.Join(two, "nvidia5"), nil, 0o644))
	for _, test := range []struct {
		variable string
		set      bool
		want     []string
	}{
		{"", false, []string{"0", "1"}}, {"", true, nil}, {"3", true, []string{"3"}},
		{"2, 0", true, []string{"2", "0"}},
		{"1,-1,0", true, []string{"1"}}, {"GPU-8932f937,MIG-7", true,
			[]string{"GPU-8932f937", "MIG-7"}},
	} {
		got := visibleGPUs(two, func(string) (string, bool) { return test.variable, test.set })
		if !slices.Equal(got, test.want) {
			t.Errorf("CUDA_VISIBLE_DEVICES %q (set: %v): %q, want %q", test.variable, test.set, got,
				test.want)
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

func TestCureFitsWhatTheLibrarySays(t *testing.T) {
	for _, test := range []struct{ says, want string }{
		{"PJRT error (code=8): RESOURCE_EXHAUSTED: Failed to allocate request for 1.00GiB",
			"too little free memory"},
		{"INTERNAL: CUDA_ERROR_OUT_OF_MEMORY: out of memory", "too little free memory"},
		{"PJRT error (code=8): the arguments exceed the limit", "too little free memory"},
		{"PJRT error (code=12): PJRT_Executable_GetCompiledMemoryStats", "newer plugin"},
		{"CUDA driver version is insufficient for CUDA runtime version", "update the driver"},
		{"failed call to cuInit: CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected",
			"CUDA_VISIBLE_DEVICES"},
		{"libcuda.so.1: cannot open shared object file: No such file or directory",
			"driver isn't installed"},
		{"libcudart.so.13: cannot open shared object file: No such file or directory",
			"LD_LIBRARY_PATH"},
		{"libcudnn.so.9: cannot open shared object file: No such file or directory",
			"LD_LIBRARY_PATH"},
		{"/lib/libc.so.6: version `GLIBC_2.38' not found", "older plugin"},
		{"Unexpected PJRT_Client_Create_Args size: expected 72, got 80", "newer plugin"},
		{`error resolving symbol "GetPjrtApi": /lib/libm.so: undefined symbol: GetPjrtApi`,
			"no XLA plugin: correct the path"},
		{`backend "xla": unknown plugin options [turbo]`, "correct the options"},
		{`Failed to parse option "tf32"="maybe"`, "correct the options"},
		{"Couldn't invoke ptxas --version", "xla_gpu_cuda_data_dir"},
		{"something else", "GOMLX_BACKEND=go"},
	} {
		if got := cureOf(errors.New(test.says)); !strings.Contains(got, test.want) {
			t.Errorf("cureOf(%q) = %q, want it to name %q", test.says, got, test.want)
		}
	}
}

func TestOutOfMemoryTellsWhatWasAskedFor(t *testing.T) {
	for _, test := range []struct {
		says, asked string
		is          bool
	}{
		{"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 12.50GiB.", "12.50GiB", true},
		{"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 1234567 bytes",
			"1234567 bytes", true},
		{"PJRT error (code=8): RESOURCE_EXHAUSTED: Failed to allocate request for 2.99GiB " +
			"(3206250496B) on device ordinal 0", "2.99GiB", true},
		{"Resource exhausted: Failed to allocate request for 32.00MiB (33554432B) on device " +
			"ordinal 0", "32.00MiB", true},
		{"RESOURCE_EXHAUSTED: Out of memory allocating 70368744177664 bytes.",
			"70368744177664 bytes", true},
		{"Allocator (GPU_0_bfc) ran out of memory trying to allocate 16.00MiB with " +
			"freed_by_count=0", "16.00MiB", true},
		{"INTERNAL: CUDNN_STATUS_ALLOC_FAILED", "", true},
		{"CUDA_ERROR_OUT_OF_MEMORY", "", true},
		{"INVALID_ARGUMENT: shapes", "", false},
	} {
		if asked, is := OutOfMemory(errors.New(test.says)); asked != test.asked || is != test.is {
			t.Errorf("OutOfMemory(%q) = %q, %v, want %q, %v", test.says, asked, is, test.asked,
				test.is)
		}
	}
	if _, is := OutOfMemory(nil); is {
		t.Error("no error is out of memory")
	}
}

// This test's own program with another number of its machine is a library for another machine.
func TestPluginForAnotherMachine(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux's format of libraries is known")
	}
	program := testkit.Must(os.ReadFile(os.Args[0]))(t)
	const machineAt = 18 // in the header of the format
	for _, test := range []struct {
		machine elf.Machine
		want    string // "" for no error
	}{{machines[runtime.GOARCH], ""}, {elf.EM_PPC64, "made for EM_PPC64"}} {
		path := filepath.Join(t.TempDir(), "pjrt_c_api_cpu_plugin.so")
		binary.LittleEndian.PutUint16(program[machineAt:], uint16(test.machine))
		testkit.NoError(t, os.WriteFile(path, program, 0o600))
		if err := checkPluginFile(path); (err == nil) != (test.want == "") || err != nil &&
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("checkPluginFile() of a library for %v = %v, want %q", test.machine, err,
				test.want)
		}
	}
}

// The first folder that holds the library of functions counts, not the first that is there.
func TestCUDAToolsAreFoundByTheLibraryOfFunctions(t *testing.T) {
	site, home := t.TempDir(), t.TempDir()
	plugin := filepath.Join(site, "jax_plugins", "xla_cuda13", "xla_cuda_plugin.so")
	beside := filepath.Join(site, "nvidia", "cu13")
	testkit.NoError(t, os.MkdirAll(filepath.Join(beside, "lib"), 0o755))
	t.Setenv("PATH", "")
	t.Setenv("CUDA_HOME", home)
	for _, test := range []struct{ adds, flags, want string }{
		{"", "", ""},
		{home, "", "--xla_gpu_cuda_data_dir=" + home},
		{beside, "", "--xla_gpu_cuda_data_dir=" + beside},
		{"", "--xla_dump_to=x", "--xla_dump_to=x --xla_gpu_cuda_data_dir=" + beside},
		{"", "--xla_gpu_cuda_data_dir=/mine", "--xla_gpu_cuda_data_dir=/mine"},
	} {
		if test.adds != "" {
			library := filepath.Join(test.adds, "nvvm", "libdevice", "libdevice.10.bc")
			testkit.NoError(t, errors.Join(os.MkdirAll(filepath.Dir(library), 0o755),
				os.WriteFile(library, nil, 0o600)))
		}
		t.Setenv(flagsVariable, test.flags)
		findCUDATools(plugin)
		if got := os.Getenv(flagsVariable); got != test.want {
			t.Errorf("with %q: got %q, want %q", test.flags, got, test.want)
		}
	}
}

func TestPrecisionOfNvidiasLibrariesIsXLAsToo(t *testing.T) {
	for _, test := range []struct{ variable, options, want string }{
		{"", "", ""}, {"1", "preallocate", "preallocate"},
		{"0", "", "tf32=false"}, {"0", "preallocate", "preallocate,tf32=false"},
		{"0", "tf32=true", "tf32=true"},
	} {
		t.Setenv(PrecisionVariable, test.variable)
		if got := withPrecision(test.options); got != test.want {
			t.Errorf("with %q: options %q become %q, want %q", test.variable, test.options, got,
				test.want)
		}
	}
}

// Cards keep the name of the engine, which must say on what results depend.
func TestNameOfThePureGoEngine(t *testing.T) {
	for _, test := range []struct{ kernels, level, want string }{
		{"", "", "go"}, {"AVX2", "", "go (AVX2 kernels)"},
		{"portable", "v2", "go (portable kernels, GOAMD64=v2)"}, {"", "v3", "go (GOAMD64=v3)"},
	} {
		if got := goName(test.kernels, test.level); got != test.want {
			t.Errorf("kernels %q at level %q make %q, want %q", test.kernels, test.level, got,
				test.want)
		}
	}
}

// AVX2 and AVX-512 give the same bits; pure Go and a GPU don't.
func TestEnginesOfEqualWeights(t *testing.T) {
	seen := map[string]string{}
	for _, engine := range []string{"go (AVX-512 kernels)", "go (AVX2 kernels)", "go", "xla:cuda"} {
		seen[Trained(engine)] = engine
	}
	if len(seen) != 3 || seen["go (AVX kernels)"] != "go (AVX2 kernels)" {
		t.Errorf("the engines are %v, want three", seen)
	}
}
