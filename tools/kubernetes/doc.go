// Package kubernetes compares the Job of nbbnn/sweep/deploy/kubernetes with the types of Kubernetes. It is a
// module of its own, so that the workbench doesn't depend on them.
package kubernetes
