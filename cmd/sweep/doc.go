// Package sweep plans many runs, and does them one at a time wherever a scheduler starts them. It
// is no scheduler: a manifest lists the points, and whoever starts a process with the index of a
// point gets it trained and tested.
package sweep
