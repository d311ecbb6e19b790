//go:build unix

package command

import "syscall"

func init() { ownGroup = &syscall.SysProcAttr{Setpgid: true} }
