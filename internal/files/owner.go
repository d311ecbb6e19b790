package files

import (
	"cmp"
	"fmt"
	"os"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Self names this process for a lock's file, such as "4711 on node7, job 1024_3". The number comes
// first.
func Self() string {
	text := fmt.Sprintf("%d on %s", os.Getpid(), host())
	if id := job(os.Getenv); id != "" {
		text += ", job " + id
	}
	return text
}

// host returns the name of this computer.
func host() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	return cmp.Or(strings.TrimSpace(name), "unknown")
}

// job returns the id under which a scheduler runs this process, "" if none does.
func job(getenv func(string) string) string {
	for _, v := range []struct{ job, separator, task string }{
		{"HQ_JOB_ID", ".", "HQ_TASK_ID"},
		{"SLURM_ARRAY_JOB_ID", "_", "SLURM_ARRAY_TASK_ID"},
		{"SLURM_JOB_ID", "", ""},
		{"PBS_JOBID", "", ""},
		{"LSB_JOBID", "", ""},
	} {
		if id := getenv(v.job); id != "" {
			if task := getenv(v.task); task != "" {
				id += v.separator + task
			}
			return id
		}
	}
	return ""
}

// holder describes the owner that a lock's file names: "process 4711" on this computer, and
// "process 4711 on node7" on another.
func holder(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if first == "" {
		return "another process"
	}
	return "process " + quantity.Printable(strings.Replace(first, " on "+host(), "", 1))
}
