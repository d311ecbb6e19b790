// Package deploy holds the files with which clusters do the points of a sweep: `nbbnn sweep submit`
// fills them in and hands them to the scheduler's own client. They can be used by hand, too.
package deploy

import _ "embed"

// Slurm is a batch script for an array of tasks. Its environment says what to do: NBBNN_PROGRAM,
// NBBNN_MANIFEST, NBBNN_RUNS and NBBNN_CHUNK.
//
//go:embed slurm/sweep.sbatch
var Slurm string

// HyperQueue is the script of one task. It has the same environment.
//
//go:embed hyperqueue/task.sh
var HyperQueue string

// Kubernetes is a template (text/template) of an Indexed Job.
//
//go:embed kubernetes/job.yaml.tmpl
var Kubernetes string
