package files

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// lacksLocks reports whether an error of locking means that the file system can't lock files.
func lacksLocks(err error) bool {
	return errors.Is(err, syscall.ENOLCK) || errors.Is(err, errors.ErrUnsupported)
}

// locksAreLocal reports whether path is on a network file system that is mounted so that a lock
// keeps out processes of this host only, as far as the system tells: two hosts would both write.
func locksAreLocal(path string) bool {
	data, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return false
	}
	absolute, err := filepath.Abs(path)
	if err != nil {
		return false
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(absolute)); err == nil {
		absolute = filepath.Join(real, filepath.Base(absolute))
	}
	return localLocks(string(data), absolute)
}

// localLocks is locksAreLocal for a table of mounts in the form of /proc/self/mounts.
func localLocks(mounts, path string) (local bool) {
	longest := -1
	for line := range strings.Lines(mounts) {
		parts := strings.Fields(line)
		if len(parts) < 4 {
			continue
		}
		point := strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(parts[1])
		inside := path == point || strings.HasPrefix(path, strings.TrimSuffix(point, "/")+"/")
		if !inside || len(point) < longest { // of two mounts at one point the later one counts
			continue
		}
		longest = len(point)
		local = isLocal(parts[2], strings.Split(parts[3], ","))
	}
	return local
}

// isLocal reports whether a mount's options keep locks on this host.
func isLocal(kind string, options []string) bool {
	has := func(names ...string) bool {
		return slices.ContainsFunc(names, func(name string) bool { return slices.Contains(options, name) })
	}
	switch kind {
	case "nfs", "nfs4":
		return has("nolock", "local_lock=all", "local_lock=flock")
	case "lustre":
		return has("localflock")
	case "cifs", "smb3":
		return has("nobrl")
	}
	return false
}
