package sweep

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// submission is one for 24 points in tasks of 2.
func submission(engine string) Submission {
	return Submission{
		Engine: engine, Program: "/opt/nbbnn", Manifest: "m.json", Runs: "runs", Name: "nbbnn-sweep", Tasks: 12, Chunk: 2,
		Parallel: 4, CPUs: 2, Time: "1:00:00", Retries: 2, Image: "registry.example/nbbnn:1", Claim: "runs",
	}
}

func called(t *testing.T, s Submission) Call {
	t.Helper()
	call, err := s.Call()
	if err != nil {
		t.Fatal(err)
	}
	return call
}

func TestSlurmCall(t *testing.T) {
	s := submission("slurm")
	s.Extra = []string{"--partition=short"}
	call := called(t, s)
	want := []string{
		"sbatch", "--array=0-11%4", "--output=runs/.sweep/slurm-%A_%a.log", "--job-name=nbbnn-sweep", "--cpus-per-task=2", "--time=1:00:00",
		"--partition=short",
	}
	if !slices.Equal(call.Arguments, want) {
		t.Errorf("%q, want %q", call.Arguments, want)
	}
	for _, variable := range []string{"NBBNN_PROGRAM=/opt/nbbnn", "NBBNN_MANIFEST=m.json", "NBBNN_RUNS=runs", "NBBNN_CHUNK=2", "NBBNN_RETRIES=2"} {
		if !slices.Contains(call.Environment, variable) {
			t.Errorf("%q lacks %s", call.Environment, variable)
		}
	}
	if !strings.Contains(call.Input, "#SBATCH --signal=B:TERM@120\n") {
		t.Error("the script asks for no signal before the time limit")
	}
}

func TestHyperQueueCall(t *testing.T) {
	got := strings.Join(called(t, submission("hyperqueue")).Arguments[:6], " ")
	if want := "hq submit --array=0-11 --name=nbbnn-sweep --cpus=2 --time-request=1:00:00"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// The job is the example, whose keys tools/kubernetes compares with the types of Kubernetes.
func TestKubernetesJob(t *testing.T) {
	got := called(t, submission("kubernetes")).Input
	path := filepath.Join("..", "deploy", "kubernetes", "example.yaml")
	want, err := os.ReadFile(path)
	if err != nil || got != string(want) {
		t.Errorf("the job isn't %s (%v), want:\n%s", path, err, got)
	}
}

func TestSubmissionIsRefused(t *testing.T) {
	for name, change := range map[string]func(*Submission){
		"engine":   func(s *Submission) { s.Engine = "slrum" },
		"chunk":    func(s *Submission) { s.Chunk = 0 },
		"image":    func(s *Submission) { s.Image = "" },
		"brace":    func(s *Submission) { s.Image = "a b" },
		"name":     func(s *Submission) { s.Name = "My_Sweep" },
		"manifest": func(s *Submission) { s.Manifest = "/home/me/m.json" },
	} {
		s := submission("kubernetes")
		change(&s)
		if _, err := s.Call(); !errors.Is(err, ErrNever) {
			t.Errorf("%s: error %v, want one that wraps ErrNever", name, err)
		}
	}
}

// The scripts repeat a point, or not, by its exit status.
func TestScriptsFollowTheExitStatus(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	for _, c := range []struct {
		script   string
		statuses string // of one attempt after the other
		want     int
		requeued bool
		attempts int
	}{
		{"slurm/sweep.sbatch", "0", 0, false, 1},
		{"slurm/sweep.sbatch", "75", 75, true, 1},
		{"slurm/sweep.sbatch", "2", 2, false, 1},
		{"slurm/sweep.sbatch", "1", 1, true, 1},
		{"hyperqueue/task.sh", "0", 0, false, 1},
		{"hyperqueue/task.sh", "75 75 0", 0, false, 3},
		{"hyperqueue/task.sh", "2", 2, false, 1},
		{"hyperqueue/task.sh", "1 75 0", 0, false, 3},
		{"hyperqueue/task.sh", "1 1 1 0", 1, false, 3},
	} {
		folder := t.TempDir()
		program := filepath.Join(folder, "nbbnn")
		fake := "#!/bin/bash\ncd " + folder + "\necho x >> attempts\nset -- " + c.statuses + "\nshift $(($(wc -l < attempts) - 1))\nexit $1\n"
		requeue := "#!/bin/bash\ntouch " + folder + "/requeued\n"
		for path, text := range map[string]string{program: fake, filepath.Join(folder, "scontrol"): requeue} {
			if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		command := exec.Command(bash, filepath.Join("..", "deploy", c.script))
		command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "NBBNN_PROGRAM="+program, "NBBNN_MANIFEST=m.json",
			"NBBNN_RETRIES=2", "NBBNN_PAUSE=0", "SLURM_JOB_ID=1")
		_ = command.Run()
		_, err := os.Stat(filepath.Join(folder, "requeued"))
		attempts, _ := os.ReadFile(filepath.Join(folder, "attempts"))
		if got := command.ProcessState.ExitCode(); got != c.want || (err == nil) != c.requeued || len(attempts) != 2*c.attempts {
			t.Errorf("%s after %s: status %d, requeued %v, %d attempts; want %d, %v, %d", c.script, c.statuses, got, err == nil, len(attempts)/2, c.want, c.requeued, c.attempts)
		}
	}
}
