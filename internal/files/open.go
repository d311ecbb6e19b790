package files

import (
	"bytes"
	"cmp"
	"io/fs"
	"os"
	"syscall"
)

// Open is os.Open for files that people name. A folder, a pipe, a socket or a device is refused
// before it's opened: the program would wait for it, and heed no signal meanwhile.
func Open(path string) (*os.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := checkKind(path, info); err != nil {
		return nil, err
	}
	return os.Open(path)
}

// ReadFile is os.ReadFile for files that people name, as Open, and for the files in a record.
func ReadFile(path string) ([]byte, error) {
	if r, text, err := inRecord(path); r != nil {
		return []byte(text), cmp.Or(err, r.damage)
	}
	return readFile(path)
}

func readFile(path string) ([]byte, error) {
	file, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return nil, err
	}
	var data bytes.Buffer
	data.Grow(int(info.Size()) + bytes.MinRead)
	_, err = data.ReadFrom(file)
	return data.Bytes(), err
}

// kindError is the error for a path that isn't a file.
type kindError string

func (e kindError) Error() string {
	return "it's a " + string(e) + ", which would be waited for: write what it gives to a file, " +
		"and name that"
}

func checkKind(path string, info fs.FileInfo) error {
	kind := ""
	switch mode := info.Mode(); {
	case mode.IsDir():
		return &fs.PathError{Op: "open", Path: path, Err: syscall.EISDIR}
	case mode&fs.ModeNamedPipe != 0:
		kind = "pipe"
	case mode&fs.ModeSocket != 0:
		kind = "socket"
	case mode&(fs.ModeDevice|fs.ModeIrregular) != 0:
		kind = "device"
	default:
		return nil
	}
	return &fs.PathError{Op: "open", Path: path, Err: kindError(kind)}
}
