//go:build unix

// Package gpu tests gpu.sh on the processor, and what plan.py counts.
package gpu

import (
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// gpuScript runs gpu.sh with a work folder.
func gpuScript(t *testing.T, work string, arguments ...string) (output string, err error) {
	t.Helper()
	command, written := scriptCommand(t, work, arguments...)
	err = command.Run()
	return written.String(), err
}

// scriptCommand is gpu.sh, not yet begun, and what it writes. It skips the test if the script can't
// run here.
func scriptCommand(t *testing.T, work string, arguments ...string) (*exec.Cmd, *strings.Builder) {
	t.Helper()
	needPrograms(t)
	command := exec.CommandContext(t.Context(), "bash", append([]string{"gpu.sh"}, arguments...)...)
	command.Env = append(os.Environ(), "NBBNN_GPU_WORK="+work, "GOMLX_BACKEND=go")
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	return command, &output
}

// needPrograms skips a test if a program that gpu.sh needs is missing, as GNU's are on a Mac.
func needPrograms(t *testing.T) {
	t.Helper()
	for _, program := range []string{"bash", "python3", "timeout", "nproc"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("tools/gpu/gpu.sh was not tested: %v (macOS: brew install bash coreutils)", err)
		}
	}
	// takes empty arrays with set -u
	const newEnough = "(( BASH_VERSINFO[0] * 100 + BASH_VERSINFO[1] >= 404 ))"
	if err := exec.Command("bash", "-c", newEnough).Run(); err != nil {
		t.Skip("tools/gpu/gpu.sh was not tested: bash is older than 4.4 (macOS: brew install " +
			"bash coreutils)")
	}
}

// ran runs a command among the files of a work folder and returns what it printed.
func ran(t *testing.T, work string, environment []string, shell string) string {
	t.Helper()
	out := t.TempDir()
	if err := os.MkdirAll(filepath.Join(work, "files"), 0o755); err != nil {
		t.Fatal(err)
	}
	command, said := scriptCommand(t, work, "run", "--minutes", "1", "--out", out, "sh", "-c",
		shell)
	command.Env = append(command.Env, environment...)
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return read(t, filepath.Join(out, "output.txt"))
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
		os.WriteFile(path, []byte(text), 0o700)); err != nil {
		t.Fatal(err)
	}
}

func TestGPUScriptSaysWhatIsMissing(t *testing.T) {
	newer := filepath.Join(t.TempDir(), "newer")
	write(t, newer, "GLIBC_2.4 GLIBC_2.99")
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"run", "--minutes", "1", "true"}, "--out is missing"},
		{[]string{"run", "--out", t.TempDir()}, "no command is given"},
		{[]string{"run", "--out", t.TempDir(), "true"}, "bring them with 'put'"},
		{[]string{"put", "nowhere"}, "was it carried?"},
		{[]string{"pack", t.TempDir()}, "nothing is packed"},
		{[]string{"pack", t.TempDir(), "nowhere"}, "nowhere isn't there"},
		{[]string{"pack", t.TempDir(), newer}, "asks for GLIBC_2.99, the GPU machine may have"},
		{nil, "tools/gpu/gpu.sh pack"},
	} {
		if got, err := gpuScript(t, t.TempDir(), test.arguments...); err == nil ||
			!strings.Contains(got, test.want) {
			t.Errorf("gpu.sh %v prints %q, want it to say %q", test.arguments, got, test.want)
		}
	}
}

// What is packed in parts is there after all of them were put, in two calls, and can be run.
func TestGPUScriptCarriesFiles(t *testing.T) {
	folder, work := t.TempDir(), t.TempDir()
	write(t, filepath.Join(folder, "program"), "#!/bin/sh\ncat data/images.bin\n")
	random := make([]byte, 3000) // which nothing makes smaller
	if _, err := rand.Read(random); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "data", "images.bin"), string(random))
	parts := filepath.Join(folder, "parts")
	command, said := scriptCommand(t, work, "pack", parts, filepath.Join(folder, "program"),
		filepath.Join(folder, "data")+"/")
	command.Env = append(command.Env, "NBBNN_GPU_PART=2500")
	if err := command.Run(); err != nil || read(t, filepath.Join(parts, "count")) != "2\n" {
		t.Fatalf("%v, want two parts\n%s", err, said)
	}
	for _, carried := range [][]string{{"part00", "count"}, {"part01"}} {
		call := []string{"put"}
		for _, name := range carried {
			call = append(call, filepath.Join(parts, name))
		}
		if said, err := gpuScript(t, work, call...); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	if got := ran(t, work, nil, "./program"); got != string(random) {
		t.Errorf("the program prints %d bytes, want the %d that were carried", len(got),
			len(random))
	}
}

// The newest plugin of JAX's packages is found; the program is told where NVIDIA's libraries stand
// and, where the plugin knows the flag, where choices of algorithms are kept.
func TestGPUScriptPreparesThePlugin(t *testing.T) {
	work, site := t.TempDir(), t.TempDir()
	for name, text := range map[string]string{
		"jax_plugins/xla_cuda12/xla_cuda_plugin.so": "an old one",
		"jax_plugins/xla_cuda13/xla_cuda_plugin.so": "knows xla_gpu_per_fusion_autotune_cache_dir, xla_gpu_enable_triton_gemm_any",
		"nvidia/cu13/lib/libnvrtc.so.13":            "", "nvidia/cudnn/lib/libcudnn.so.9": "",
	} {
		write(t, filepath.Join(site, name), text)
	}
	environment := ran(t, work, []string{"GOMLX_BACKEND=", "PYTHONPATH=" + site, "XLA_FLAGS=",
		"LD_LIBRARY_PATH=/mine"}, "env")
	for _, want := range []string{
		"GOMLX_BACKEND=xla:" + site + "/jax_plugins/xla_cuda13/xla_cuda_plugin.so\n",
		"LD_LIBRARY_PATH=/mine:", site + "/nvidia/cu13/lib",
		site + "/nvidia/cudnn/lib", "XLA_FLAGS=--xla_gpu_per_fusion_autotune_cache_dir=" +
			work + "/choices\n", "NBBNN_RUNS=" + work + "/runs\n",
	} {
		if !strings.Contains(environment, want) {
			t.Errorf("the program's environment has no %q:\n%s", want, environment)
		}
	}
}

// Without folders of NVIDIA's, the path of libraries stays as it is: an empty part of it would be
// the present folder.
func TestGPUScriptWithoutLibraries(t *testing.T) {
	if _, err := os.Stat("/usr/local/nvidia"); err == nil {
		t.Skip("the path of libraries was not tested: this machine has /usr/local/nvidia")
	}
	environment := ran(t, t.TempDir(), []string{"LD_LIBRARY_PATH=/mine"}, "env")
	if !strings.Contains(environment, "LD_LIBRARY_PATH=/mine\n") {
		t.Errorf("the program's environment has no LD_LIBRARY_PATH=/mine:\n%s", environment)
	}
}

// Failures are told from what was saved, and what runs recorded comes back in each case, without
// weights.
func TestGPUScriptTellsFailuresFromStops(t *testing.T) {
	const records = `mkdir -p "$NBBNN_RUNS/9f3c/checkpoint"; echo a > "$NBBNN_RUNS/9f3c/card.json"; ` +
		`echo b > "$NBBNN_RUNS/9f3c/checkpoint/latest.safetensors"; `
	for _, test := range []struct {
		name, shell string
		fails       bool
		says        string
	}{
		{"a failure", "echo broke >&2; exit 1", true, "status 1: broke"},
		{"a kill that isn't ours", "kill -9 $$", true, "status 137"},
		{"what was saved", "exit 75", false, "goes on with the same call"},
		{"a success", "exit 0", false, "wrote"},
	} {
		work, out := t.TempDir(), t.TempDir()
		write(t, filepath.Join(work, "files", "brought"), "")
		said, err := gpuScript(t, work, "run", "--minutes", "1", "--out", out, "sh", "-c",
			records+test.shell)
		if (err != nil) != test.fails || !strings.Contains(said, test.says) {
			t.Errorf("%s: error %v, want one: %v; it says %q, want %q", test.name, err, test.fails,
				said, test.says)
		}
		listed, err := exec.Command("tar", "-tzf", filepath.Join(out, "runs.tar.gz")).Output()
		if err != nil || !strings.Contains(string(listed), "9f3c/card.json") ||
			strings.Contains(string(listed), "checkpoint") {
			t.Errorf("%s: back come %q (%v), want the card without weights", test.name, listed, err)
		}
	}
}
