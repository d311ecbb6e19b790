// Package kubernetes compares the Job of cmd/sweep/deploy/kubernetes with the types of
// Kubernetes. It is a module of its own, so that the workbench doesn't depend on them.
package kubernetes

import (
	"os"
	"slices"
	"testing"

	batch "k8s.io/api/batch/v1"
	core "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Every key of the job is one of Kubernetes, and what matters for a sweep is set.
func TestJobIsOneOfKubernetes(t *testing.T) {
	data, err := os.ReadFile("../../cmd/sweep/deploy/kubernetes/example.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var job batch.Job
	if err := yaml.UnmarshalStrict(data, &job); err != nil {
		t.Fatal(err)
	}
	if job.Name != "" || job.GenerateName != "nbbnn-sweep-" {
		t.Errorf("name %q and generateName %q: a second submission needs a new name", job.Name,
			job.GenerateName)
	}
	if queue := job.Labels["kueue.x-k8s.io/queue-name"]; queue != "sweeps" {
		t.Errorf("Kueue's queue is %q, want sweeps", queue)
	}
	spec := job.Spec
	if job.Kind != "Job" || *spec.CompletionMode != batch.IndexedCompletion ||
		*spec.Completions != 12 || *spec.BackoffLimitPerIndex != 2 ||
		*spec.PodReplacementPolicy != batch.Failed {
		t.Errorf("the job is %+v", spec)
	}
	actions := map[int32]batch.PodFailurePolicyAction{}
	for _, rule := range spec.PodFailurePolicy.Rules {
		if rule.OnExitCodes == nil {
			continue
		}
		for _, status := range rule.OnExitCodes.Values {
			actions[status] = rule.Action
		}
	}
	if actions[75] != batch.PodFailurePolicyActionIgnore ||
		actions[65] != batch.PodFailurePolicyActionFailIndex || len(actions) != 2 {
		t.Errorf("the actions are %v", actions)
	}
	pod := spec.Template.Spec
	security := pod.Containers[0].SecurityContext
	if pod.RestartPolicy != core.RestartPolicyNever || !*pod.SecurityContext.RunAsNonRoot ||
		!*security.ReadOnlyRootFilesystem ||
		*security.AllowPrivilegeEscalation || !slices.Equal(security.Capabilities.Drop,
		[]core.Capability{"ALL"}) {
		t.Errorf("the pod is %+v", pod)
	}
}

// A key that Kubernetes doesn't have is found.
func TestUnknownKeyIsFound(t *testing.T) {
	var job batch.Job
	if err := yaml.UnmarshalStrict([]byte("spec:\n  backoffLimitPerIndx: 2\n"), &job); err == nil {
		t.Error("no error")
	}
}
