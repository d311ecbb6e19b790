package command

import (
	"fmt"
	"runtime"
	"strconv"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/quantity"
)

// machineShare divides the cores and the GPUs of this machine among processes.
type machineShare struct {
	processes, tasks, cores int
	gpus                    []string
}

// newShare divides the machine among as many processes as there are tasks for.
func newShare(parallel, tasks int) machineShare {
	return machineShare{max(1, min(parallel, tasks)), tasks, runtime.GOMAXPROCS(0), engine.GPUs()}
}

// notes says what is wrong with the number of processes that was asked for.
func (s machineShare) notes(parallel int) (notes []string) {
	if s.tasks > 0 && parallel > s.tasks {
		notes = append(notes, fmt.Sprintf("--parallel %d is more than the runs that are left: each of the %d has a process of its own", parallel, s.tasks))
	}
	if s.processes > s.cores {
		notes = append(notes, fmt.Sprintf("%d processes are more than the %s here, and wait for each other: --parallel %d needs less memory and is as fast",
			s.processes, quantity.Count(s.cores, "core"), s.cores))
	}
	if len(s.gpus) > 0 && s.processes > len(s.gpus) {
		notes = append(notes, fmt.Sprintf("%d processes share %s: --parallel %d gives each process its own",
			s.processes, quantity.Count(len(s.gpus), "GPU"), len(s.gpus)))
	}
	return notes
}

// variables returns the variables that give a process its part of the machine.
func (s machineShare) variables(slot int) []string {
	cores := s.cores / s.processes
	if slot < s.cores%s.processes {
		cores++
	}
	variables := []string{"GOMAXPROCS=" + strconv.Itoa(max(1, cores))}
	if len(s.gpus) > 1 {
		variables = append(variables, "CUDA_VISIBLE_DEVICES="+s.gpus[slot%len(s.gpus)])
	}
	return variables
}
