//go:build unix

package gpu

import "syscall"

// ownGroup starts a program in a group of its own, so that it can be killed with all that it
// started.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func killGroup(leader int) { _ = syscall.Kill(-leader, syscall.SIGKILL) }
