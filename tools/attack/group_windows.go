//go:build windows

package main

import "syscall"

// ownGroup starts a process in a group of its own, which control-C doesn't reach.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
