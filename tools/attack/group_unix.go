//go:build unix

package main

import "syscall"

// ownGroup starts a process in a group of its own, which control-C doesn't reach.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
