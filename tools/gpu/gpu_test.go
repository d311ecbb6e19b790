//go:build unix

// Package gpu tests gpu.sh, at toy size on the processor.
package gpu

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// gpuScript runs gpu.sh at toy size on the processor, in a work folder with this tree's program.
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
	command.Env = append(os.Environ(), "NBBNN_GPU_WORK="+work, "NBBNN_GPU_TOY=1",
		"GOMLX_BACKEND=go")
	var output strings.Builder
	command.Stdout, command.Stderr = &output, &output
	// so that it can be killed with all that it started
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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

// A machine without one of the programs skips what runs the script.
func TestGPUScriptIsSkippedWithoutItsPrograms(t *testing.T) {
	needPrograms(t)
	for _, missing := range []string{"timeout", "nproc", "python3"} {
		folder := t.TempDir()
		for _, program := range []string{"bash", "python3", "timeout", "nproc"} {
			found, err := exec.LookPath(program)
			if err != nil {
				t.Fatal(err)
			}
			if program != missing {
				if err := os.Symlink(found, filepath.Join(folder, program)); err != nil {
					t.Fatal(err)
				}
			}
		}
		skipped := false
		t.Run(missing, func(t *testing.T) {
			defer func() { skipped = t.Skipped() }()
			t.Setenv("PATH", folder)
			scriptCommand(t, t.TempDir(), "run")
		})
		if !skipped {
			t.Errorf("without %s, a test that runs gpu.sh isn't skipped", missing)
		}
	}
}

// standIn writes a shell script in place of the programs.
func standIn(t *testing.T, work, script string) {
	t.Helper()
	for _, name := range []string{"nbbnn", "bench", "agree"} {
		if err := os.WriteFile(filepath.Join(work, name), []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
	}
}

func TestGPUScriptSaysWhatIsMissing(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		want      string
	}{
		{[]string{"run", "--minutes", "1"}, "--out is missing"},
		{[]string{"run", "--out", t.TempDir()}, "bring it with 'put'"},
		{[]string{"put", "nowhere"}, "was it carried?"},
		{nil, "tools/gpu/gpu.sh prepare"},
	} {
		if got, err := gpuScript(t, t.TempDir(), test.arguments...); err == nil ||
			!strings.Contains(got, test.want) {
			t.Errorf("gpu.sh %v prints %q, want it to say %q", test.arguments, got, test.want)
		}
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
		path := filepath.Join(site, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	program := "#!/bin/sh\n[ $1 != doctor ] || env > \"$NBBNN_GPU_WORK/environment\"\n"
	standIn(t, work, program)
	command, output := scriptCommand(t, work, "run", "--minutes", "2", "--out", t.TempDir(),
		"--only", "none")
	command.Env = append(command.Env, "GOMLX_BACKEND=", "PYTHONPATH="+site, "XLA_FLAGS=",
		"LD_LIBRARY_PATH=/mine")
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	environment, err := os.ReadFile(filepath.Join(work, "environment"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"GOMLX_BACKEND=xla:" + site + "/jax_plugins/xla_cuda13/xla_cuda_plugin.so\n",
		"LD_LIBRARY_PATH=/mine:", site + "/nvidia/cu13/lib",
		site + "/nvidia/cudnn/lib", "XLA_FLAGS=--xla_gpu_per_fusion_autotune_cache_dir=" +
			work + "/choices\n",
	} {
		if !strings.Contains(string(environment), want) {
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
	work := t.TempDir()
	program := "#!/bin/sh\n[ $1 != doctor ] || env > \"$NBBNN_GPU_WORK/environment\"\n"
	standIn(t, work, program)
	command, output := scriptCommand(t, work, "run", "--minutes", "2", "--out", t.TempDir(),
		"--only", "none")
	command.Env = append(command.Env, "LD_LIBRARY_PATH=/mine")
	if err := command.Run(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	if got, err := os.ReadFile(filepath.Join(work, "environment")); err != nil ||
		!strings.Contains(string(got), "LD_LIBRARY_PATH=/mine\n") {
		t.Errorf("error %v; the program's environment has no LD_LIBRARY_PATH=/mine:\n%s", err, got)
	}
}

// --only takes the steps of some names alone; a later call takes the others.
func TestGPUScriptTakesChosenSteps(t *testing.T) {
	work := t.TempDir()
	standIn(t, work, "#!/bin/sh\necho '{\"run\": \"0\"}'\n")
	for _, test := range []struct {
		only string
		want []string // complete after the call
	}{
		{"figure-*", []string{"figure-03"}},
		{"bench-train-*,agreement-allcnnc", []string{"agreement-allcnnc", "bench-train-resnet18",
			"figure-03"}},
		{"*", []string{"agreement-allcnnc", "bench-evaluate-resnet18", "bench-train-resnet18",
			"figure-03", "toy", "toy-corruptions"}},
	} {
		if output, err := gpuScript(t, work, "run", "--minutes", "5", "--out", t.TempDir(),
			"--only", test.only); err != nil {
			t.Fatalf("--only %s: %v\n%s", test.only, err, output)
		}
		var got []string
		done, err := os.ReadDir(filepath.Join(work, "done"))
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range done {
			got = append(got, entry.Name())
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("--only %s: %q are complete, want %q", test.only, got, test.want)
		}
	}
}

// A program that replaces nbbnn ends each step as a table says; the script tells failures from what
// was saved.
func TestGPUScriptTellsFailuresFromStops(t *testing.T) {
	for _, test := range []struct {
		name, doctor, figure string
		fails                bool
		says, table          string
	}{
		{"an engine that doesn't open", "echo no plugin >&2; exit 1", "exit 0", true,
			"the engine doesn't open: no plugin", "## doctor.txt\n\n```\nno plugin\n"},
		{"a failure", "exit 0", "echo 'it | broke' >&2; exit 1", true, "failed: figure-03",
			"| figure-03 | FAILED with status 1 | it   broke |"},
		{"a kill that isn't ours", "exit 0", "kill -9 $$", true,
			"FAILED   figure-03 with status 137", "| figure-03 | FAILED with status 137 |"},
		{"what was saved", "exit 0", "exit 75", false, "stops    figure-03: saved",
			"| figure-03 | saved for the next call |"},
		{"a success", "exit 0", "exit 0", false, "wrote", "| figure-03 | complete |"},
	} {
		work, out := t.TempDir(), t.TempDir()
		program := "#!/bin/sh\ncase $1 in\n doctor) " + test.doctor + " ;;\n figure) " +
			test.figure + " ;;\nesac\n"
		standIn(t, work, program)
		output, err := gpuScript(t, work, "run", "--minutes", "2", "--out", out)
		if (err != nil) != test.fails || !strings.Contains(output, test.says) {
			t.Errorf("%s: error %v, want one: %v; it says %q, want %q", test.name, err, test.fails,
				output, test.says)
		}
		if table, _ := os.ReadFile(filepath.Join(out, "summary.md")); !strings.Contains(
			string(table), test.table) {
			t.Errorf("%s: the table is %q, want %q in it", test.name, table, test.table)
		}
	}
}
