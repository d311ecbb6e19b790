package sweep

import (
	"cmp"
	_ "embed" // of the scripts
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/nbbnn/workbench/internal/nearest"
)

// The files with which clusters run the points of a sweep. A person can run the scripts, too: they
// read NBBNN_PROGRAM, NBBNN_MANIFEST, NBBNN_RUNS, NBBNN_CHUNK and NBBNN_RETRIES.
var (
	//go:embed deploy/slurm/sweep.sbatch
	slurmScript string // of an array of tasks

	//go:embed deploy/hyperqueue/task.sh
	hyperQueueScript string // of one task

	//go:embed deploy/kubernetes/job.yaml.tmpl
	kubernetesJob string // a template of an Indexed Job
)

// Submission is a sweep for the scheduler of a cluster. Zeros leave the choice to the scheduler.
type Submission struct {
	Engine   string // slurm, hyperqueue or kubernetes
	Program  string // path of nbbnn on the cluster's nodes; unused by kubernetes
	Manifest string // path; on kubernetes below the volume, which is /sweep
	Runs     string // the same of the directory of runs
	Name     string // of the job
	Tasks    int
	Chunk    int    // points of a task
	Parallel int    // tasks at a time; not for hyperqueue, whose workers limit them
	CPUs     int    // of a task
	GPUs     int    // of a task
	Memory   string // of a task, in the form of the scheduler; not for hyperqueue
	Time     string // limit of a task, in the form of the scheduler; not for kubernetes
	Retries  int    // of a task that failed

	Image, Claim string   // only for kubernetes: the container's image, and the claim of the volume
	Queue        string   // Kueue's, only for kubernetes
	Extra        []string // further arguments of the client
}

// Call is a call of a scheduler: its client's command line, with variables in its environment and a
// script on its standard input.
type Call struct {
	Arguments   []string `json:"arguments"`
	Environment []string `json:"environment,omitempty"`
	Input       string   `json:"input,omitempty"`
}

// Engines returns the names of the schedulers.
func Engines() []string { return []string{"slurm", "hyperqueue", "kubernetes"} }

// Call returns the call of the scheduler's client. The error wraps ErrNever if a field is wrong, or
// the engine has no use for it.
func (s Submission) Call() (Call, error) {
	if s.Tasks < 1 || s.Chunk < 1 || s.Retries < 0 || min(s.Parallel, s.CPUs, s.GPUs) < 0 {
		return Call{}, never{errors.New("sweep: a number of a submission is negative, or there " +
			"is no task: give 1 task or more")}
	}
	if flags := s.unused(); len(flags) > 0 {
		return Call{}, never{fmt.Errorf("sweep: %s has no use for %s: leave it out", s.Engine,
			strings.Join(flags, ", "))}
	}
	switch s.Engine {
	case "slurm":
		return s.slurm(), nil
	case "hyperqueue":
		return s.hyperqueue(), nil
	case "kubernetes":
		return s.kubernetes()
	}
	return Call{}, never{fmt.Errorf("sweep: unknown engine %q%s: choose %s", s.Engine,
		nearest.Hint(s.Engine, Engines()), strings.Join(Engines(), ", "))}
}

// unused returns the flags that are set and that the engine can't honour.
func (s Submission) unused() (flags []string) {
	for _, flag := range []struct {
		name    string
		set     bool
		engines []string // that honour it
	}{
		{"--parallel", s.Parallel > 0, []string{"slurm", "kubernetes"}},
		{"--memory", s.Memory != "", []string{"slurm", "kubernetes"}},
		{"--time", s.Time != "", []string{"slurm", "hyperqueue"}},
		{"--image", s.Image != "", []string{"kubernetes"}},
		{"--claim", s.Claim != "", []string{"kubernetes"}},
		{"--queue", s.Queue != "", []string{"kubernetes"}},
	} {
		if flag.set && slices.Contains(Engines(), s.Engine) &&
			!slices.Contains(flag.engines, s.Engine) {
			flags = append(flags, flag.name)
		}
	}
	return flags
}

// environment returns the variables that the scripts read.
func (s Submission) environment() []string {
	return []string{
		"NBBNN_PROGRAM=" + s.Program, "NBBNN_MANIFEST=" + s.Manifest, "NBBNN_RUNS=" + s.Runs,
		"NBBNN_CHUNK=" + strconv.Itoa(s.Chunk), "NBBNN_RETRIES=" + strconv.Itoa(s.Retries),
	}
}

// option returns an option of a client, nothing for a zero value.
func option(name, value string) []string {
	if value == "" || value == "0" {
		return nil
	}
	return []string{name + "=" + value}
}

func (s Submission) slurm() Call {
	array := fmt.Sprintf("--array=0-%d", s.Tasks-1)
	if s.Parallel > 0 {
		array += "%" + strconv.Itoa(s.Parallel)
	}
	arguments := slices.Concat(
		[]string{"sbatch", array, "--output=" + filepath.Join(Folder(s.Runs), "slurm-%A_%a.log")},
		option("--job-name", s.Name), option("--cpus-per-task", strconv.Itoa(s.CPUs)),
		option("--gpus-per-task", strconv.Itoa(s.GPUs)),
		option("--mem", s.Memory), option("--time", s.Time), s.Extra,
	)
	return Call{arguments, s.environment(), slurmScript}
}

func (s Submission) hyperqueue() Call {
	// of both outputs, as the script directs them
	log := filepath.Join(Folder(s.Runs), "hq-%{JOB_ID}-%{TASK_ID}-%{INSTANCE_ID}.log")
	arguments := []string{"hq", "submit", fmt.Sprintf("--array=0-%d", s.Tasks-1), "--stdout=" + log,
		"--stderr=none"}
	arguments = append(arguments, option("--name", s.Name)...)
	arguments = append(arguments, option("--cpus", strconv.Itoa(s.CPUs))...)
	if s.GPUs > 0 {
		arguments = append(arguments, "--resource=gpus/nvidia="+strconv.Itoa(s.GPUs))
	}
	// of a worker, so that it can finish the task
	arguments = append(arguments, option("--time-request", s.Time)...)
	arguments = append(arguments, option("--time-limit", s.Time)...)
	for _, variable := range append(s.environment(), "GOMAXPROCS="+strconv.Itoa(max(1, s.CPUs))) {
		arguments = append(arguments, "--env="+variable)
	}
	arguments = append(arguments, s.Extra...)
	return Call{Arguments: append(arguments, "--", "bash", "-c", hyperQueueScript)}
}

// kubernetesName is a name of an object in Kubernetes.
var kubernetesName = regexp.MustCompile(`^[a-z0-9]([-a-z0-9]{0,50}[a-z0-9])?$`)

func (s Submission) kubernetes() (Call, error) {
	s.Parallel = cmp.Or(s.Parallel, min(s.Tasks, 8))
	s.CPUs, s.Memory = cmp.Or(s.CPUs, 2), cmp.Or(s.Memory, "4Gi")
	switch {
	case s.Image == "" || s.Claim == "":
		return Call{}, never{errors.New("sweep: kubernetes needs the image of a container and " +
			"the claim of a volume: add --image and --claim")}
	case !kubernetesName.MatchString(s.Name) || !kubernetesName.MatchString(s.Claim) ||
		s.Queue != "" && !kubernetesName.MatchString(s.Queue):
		return Call{}, never{fmt.Errorf("sweep: name %q, claim %q and queue %q: names in "+
			"kubernetes have lower-case letters, digits and hyphens", s.Name, s.Claim, s.Queue)}
	case strings.ContainsAny(s.Image+s.Memory, " \n\"'{}#"):
		return Call{}, never{fmt.Errorf("sweep: image %q or memory %q has a character that it "+
			"can't have: correct it", s.Image, s.Memory)}
	case !onVolume(s.Manifest) || !onVolume(s.Runs):
		return Call{}, never{fmt.Errorf("sweep: manifest %s or directory of runs %s isn't on the "+
			"volume, which is /sweep in the containers: give their paths there by --manifest and "+
			"--runs", s.Manifest, s.Runs)}
	}
	var b strings.Builder
	if err := kubernetesTemplate.Execute(&b, s); err != nil {
		return Call{}, fmt.Errorf("sweep: %w", err)
	}
	return Call{append([]string{"kubectl", "create", "--filename=-"}, s.Extra...), nil, b.String()},
		nil
}

// onVolume reports whether a path, of which /sweep is the working directory, is below /sweep.
func onVolume(name string) bool {
	if !path.IsAbs(name) {
		name = path.Join("/sweep", name)
	}
	return strings.HasPrefix(path.Clean(name)+"/", "/sweep/")
}

var kubernetesTemplate = template.Must(template.New("job").Parse(kubernetesJob))
