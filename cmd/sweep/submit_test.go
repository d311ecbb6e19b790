package sweep

import (
	"bufio"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// submission is one for 24 points in tasks of 2.
func submission(engine string) Submission {
	s := Submission{
		Engine: engine, Program: "/opt/nbbnn", Manifest: "m.json", Runs: "runs",
		Name: "nbbnn-sweep", Tasks: 12, Chunk: 2,
		CPUs: 2, Retries: 2,
	}
	if engine != "hyperqueue" {
		s.Parallel = 4
	}
	if engine == "kubernetes" {
		s.Image, s.Claim, s.Queue = "registry.example/nbbnn:1", "runs", "sweeps"
	} else {
		s.Time = "1:00:00"
	}
	return s
}

func called(t *testing.T, s Submission) Call {
	t.Helper()
	return testkit.Must(s.Call())(t)
}

func TestSlurmCall(t *testing.T) {
	s := submission("slurm")
	s.Extra = []string{"--partition=short"}
	call := called(t, s)
	want := []string{
		"sbatch", "--array=0-11%4", "--output=runs/.sweep/slurm-%A_%a.log",
		"--job-name=nbbnn-sweep", "--cpus-per-task=2", "--time=1:00:00",
		"--partition=short",
	}
	if !slices.Equal(call.Arguments, want) {
		t.Errorf("%q, want %q", call.Arguments, want)
	}
	for _, variable := range []string{"NBBNN_PROGRAM=/opt/nbbnn", "NBBNN_MANIFEST=m.json",
		"NBBNN_RUNS=runs", "NBBNN_CHUNK=2", "NBBNN_RETRIES=2"} {
		if !slices.Contains(call.Environment, variable) {
			t.Errorf("%q lacks %s", call.Environment, variable)
		}
	}
	if !strings.Contains(call.Input, "#SBATCH --signal=B:TERM@120\n") {
		t.Error("the script asks for no signal before the time limit")
	}
}

func TestHyperQueueCall(t *testing.T) {
	arguments := called(t, submission("hyperqueue")).Arguments
	got := strings.Join(arguments[:9], " ")
	if want := "hq submit --array=0-11 " +
		"--stdout=runs/.sweep/hq-%{JOB_ID}-%{TASK_ID}-%{INSTANCE_ID}.log --stderr=none " +
		"--name=nbbnn-sweep --cpus=2 --time-request=1:00:00 --time-limit=1:00:00"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for cpus, want := range map[int]string{2: "--env=GOMAXPROCS=2", 0: "--env=GOMAXPROCS=1"} {
		s := submission("hyperqueue")
		s.CPUs = cpus
		if arguments := called(t, s).Arguments; !slices.Contains(arguments, want) {
			t.Errorf("%q doesn't give a task its cores: %s", arguments, want)
		}
	}
}

// The job is the example, whose keys tools/kubernetes compares with the types of Kubernetes.
func TestKubernetesJob(t *testing.T) {
	got := called(t, submission("kubernetes")).Input
	path := filepath.Join("deploy", "kubernetes", "example.yaml")
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
		"queue":    func(s *Submission) { s.Queue = "My queue" },
		"manifest": func(s *Submission) { s.Manifest = "/home/me/m.json" },
		"runs":     func(s *Submission) { s.Runs = "/home/me/runs" },
		"outside":  func(s *Submission) { s.Runs = "../runs" },
	} {
		s := submission("kubernetes")
		change(&s)
		if _, err := s.Call(); !errors.Is(err, ErrNever) {
			t.Errorf("%s: error %v, want one that wraps ErrNever", name, err)
		}
	}
}

// An error names the flag that an engine can't honour.
func TestUnusedFlagIsRefused(t *testing.T) {
	for _, c := range []struct {
		engine, flag string
		change       func(*Submission)
	}{
		{"slurm", "--image", func(s *Submission) { s.Image = "registry.example/nbbnn:1" }},
		{"slurm", "--claim", func(s *Submission) { s.Claim = "runs" }},
		{"slurm", "--queue", func(s *Submission) { s.Queue = "sweeps" }},
		{"hyperqueue", "--memory", func(s *Submission) { s.Memory = "4G" }},
		{"hyperqueue", "--parallel", func(s *Submission) { s.Parallel = 4 }},
		{"kubernetes", "--time", func(s *Submission) { s.Time = "1:00:00" }},
	} {
		s := submission(c.engine)
		c.change(&s)
		if _, err := s.Call(); !errors.Is(err, ErrNever) ||
			!strings.Contains(err.Error(), "no use for "+c.flag+":") {
			t.Errorf("%s with %s: error %v", c.engine, c.flag, err)
		}
	}
}

// script returns a task's script whose nbbnn ends with one of the statuses in each attempt, and the
// folder in which a line in "attempts" counts them and "requeued" tells of scontrol. The status
// "wait" stands for a process that runs until SIGTERM and saves. A process that waits says so on
// the standard output.
func script(t *testing.T, name, statuses, pause string) (command *exec.Cmd, folder string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("no sleep here")
	}
	folder = t.TempDir()
	for file, text := range map[string]string{
		"nbbnn": "cd " + folder + "\necho x >> attempts\nset -- " +
			statuses + "\nshift $(($(wc -l < attempts) - 1))\n" +
			"if [ \"$1\" = wait ]; then\n\ttrap 'kill $!; exit 75' TERM\n\tsleep 60 &\n\twait " +
			"$!\nfi\nexit $1\n",
		"scontrol": "touch " + folder + "/requeued\n",
		"sleep":    "[ $1 = 0 ] || echo waiting\nexec " + sleep + " $1\n",
	} {
		testkit.NoError(t, os.WriteFile(filepath.Join(folder, file), []byte("#!/bin/bash\n"+text),
			0o755))
	}
	command = exec.Command(bash, filepath.Join("deploy", name))
	command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), "NBBNN_PROGRAM="+
		filepath.Join(folder, "nbbnn"),
		"NBBNN_MANIFEST=m.json", "NBBNN_RETRIES=2", "NBBNN_PAUSE="+pause, "SLURM_JOB_ID=1")
	return command, folder
}

// wantEnd checks how a script of a task ended.
func wantEnd(t *testing.T, command *exec.Cmd, folder string, status int, requeued bool,
	attempts int) {
	t.Helper()
	_, err := os.Stat(filepath.Join(folder, "requeued"))
	lines, _ := os.ReadFile(filepath.Join(folder, "attempts"))
	if got := command.ProcessState.ExitCode(); got != status || (err == nil) != requeued ||
		len(lines) != 2*attempts {
		t.Errorf("status %d, requeued %v, %d attempts; want %d, %v, %d", got, err == nil,
			len(lines)/2, status, requeued, attempts)
	}
}

// The scripts repeat a point, or not, by its exit status.
func TestScriptsFollowTheExitStatus(t *testing.T) {
	for _, c := range []struct {
		script   string
		statuses string // of one attempt after the other
		want     int
		requeued bool
		attempts int
	}{
		{"slurm/sweep.sbatch", "0", 0, false, 1},
		{"slurm/sweep.sbatch", "75", 75, true, 1},
		{"slurm/sweep.sbatch", "65", 65, false, 1},
		{"slurm/sweep.sbatch", "2", 2, true, 1},
		{"slurm/sweep.sbatch", "1", 1, true, 1},
		{"hyperqueue/task.sh", "0", 0, false, 1},
		{"hyperqueue/task.sh", "75 75 0", 0, false, 3},
		{"hyperqueue/task.sh", "65", 65, false, 1},
		{"hyperqueue/task.sh", "2 0", 0, false, 2},
		{"hyperqueue/task.sh", "1 75 0", 0, false, 3},
		{"hyperqueue/task.sh", "1 1 1 0", 1, false, 3},
	} {
		t.Run(c.script+" "+c.statuses, func(t *testing.T) {
			command, folder := script(t, c.script, c.statuses, "0")
			_ = command.Run()
			wantEnd(t, command, folder, c.want, c.requeued, c.attempts)
		})
	}
}

// A signal reaches the process of the point, whose status is the script's. In the pause between two
// attempts it ends the script.
func TestScriptsPassTheSignalOn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no SIGTERM")
	}
	for _, c := range []struct {
		script, statuses string
		requeued         bool
	}{
		{"slurm/sweep.sbatch", "wait 0", true},
		{"hyperqueue/task.sh", "wait 0", false},
		{"hyperqueue/task.sh", "75 0", false},
		{"hyperqueue/task.sh", "1 0", false},
	} {
		t.Run(c.script+" "+c.statuses, func(t *testing.T) {
			command, folder := script(t, c.script, c.statuses, "60")
			output := testkit.Must(command.StdoutPipe())(t)
			testkit.NoError(t, command.Start())
			if !bufio.NewScanner(output).Scan() {
				t.Error("no process waits")
			}
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Error(err)
			}
			_ = command.Wait()
			wantEnd(t, command, folder, 75, c.requeued, 1)
		})
	}
}
