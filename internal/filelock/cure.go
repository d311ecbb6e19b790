package filelock

import (
	"errors"
	"io/fs"
	"syscall"
)

// cure is what helps against an error of a lock's file.
func cure(err error) string {
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return "create the folder, or name another one"
	case errors.Is(err, syscall.EROFS):
		return "the file system is read-only; choose a folder on another one, or copy this one there"
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, errors.ErrUnsupported):
		return "files can't be locked on this file system; choose a folder on another one, such as a disk of this machine"
	case errors.Is(err, syscall.ENOSPC):
		return "make room on the disk"
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		return "too many files are open; close other programs, or raise the limit (ulimit -n)"
	case errors.Is(err, fs.ErrPermission):
		return "make the folder writable"
	}
	return "choose another folder"
}
