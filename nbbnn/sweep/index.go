package sweep

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// indexVariables are the environment variables in which schedulers put the index of a task, the
// innermost scheduler first: a job of Slurm may start GNU parallel or a worker of HyperQueue. GNU
// parallel counts from 1; the others count as the array was submitted, ours from 0.
var indexVariables = []struct {
	name  string
	first int
}{{"PARALLEL_SEQ", 1}, {"HQ_TASK_ID", 0}, {"JOB_COMPLETION_INDEX", 0}, {"SLURM_ARRAY_TASK_ID", 0}}

// Index returns the index, from 0, that a scheduler has put into the environment, and the variable
// that it is from. lookup is such as os.LookupEnv.
func Index(lookup func(string) (string, bool)) (index int, variable string, err error) {
	var names []string
	for _, v := range indexVariables {
		names = append(names, v.name)
		text, found := lookup(v.name)
		if !found || text == "" {
			continue
		}
		number, err := strconv.Atoi(text)
		if err != nil || number < v.first {
			return 0, v.name, never{fmt.Errorf("sweep: %s is %q, not an index from %d: start the array at %[3]d, or give --index", v.name, text, v.first)}
		}
		return number - v.first, v.name, nil
	}
	return 0, "", never{errors.New("sweep: no index is given: add --index, or start this under a scheduler that sets " + strings.Join(names, ", "))}
}
