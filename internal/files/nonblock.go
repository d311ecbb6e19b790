//go:build !js

package files

import "syscall"

const nonblock = syscall.O_NONBLOCK
