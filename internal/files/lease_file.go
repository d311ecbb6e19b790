package files

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// released is the text of a lease that nobody holds.
const released = "released"

const leaseSuffix = ".lease-"

func leaseName(path string, number int) string {
	return fmt.Sprintf("%s%s%08d", path, leaseSuffix, number)
}

// latestLease returns the highest number of a lease at path, 0 for none.
func latestLease(path string) (latest int, err error) {
	entries, err := os.ReadDir(filepath.Dir(path))
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), filepath.Base(path)+leaseSuffix) {
			latest = max(latest, leaseNumber(entry.Name()))
		}
	}
	return latest, err
}

// leaseNumber returns the number in the name of a lease's file, 0 if there's none.
func leaseNumber(name string) int {
	number, err := strconv.Atoi(name[strings.LastIndex(name, leaseSuffix)+len(leaseSuffix):])
	if err != nil {
		return 0
	}
	return number
}

// readLease returns the text of a lease and when it was renewed. It opens the file before it asks
// for the time: a network file system then asks its server.
func readLease(name string) (text string, modified time.Time, err error) {
	file, err := os.Open(name)
	if err != nil {
		return "", modified, err
	}
	defer file.Close()
	data := make([]byte, 1<<10)
	count, err := file.Read(data)
	if err != nil && !errors.Is(err, io.EOF) {
		return "", modified, err
	}
	info, err := file.Stat()
	if err != nil {
		return "", modified, err
	}
	return string(data[:count]), info.ModTime(), nil
}

func isReleased(text string) bool { return strings.TrimSpace(text) == released }

// fileSystemTime returns the time by the clock of the file system that a folder is on.
func fileSystemTime(folder string) (time.Time, error) {
	file, err := os.CreateTemp(folder, ".clock"+leftover)
	if err != nil {
		return time.Time{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close()
	if _, err := file.Write([]byte("now\n")); err != nil {
		return time.Time{}, err
	}
	if err := file.Sync(); err != nil {
		return time.Time{}, err
	}
	info, err := file.Stat()
	if err != nil {
		return time.Time{}, err
	}
	return info.ModTime(), nil
}
