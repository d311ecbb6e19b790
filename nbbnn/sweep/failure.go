package sweep

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn"
)

// Failure is how a point last failed. The folder .sweep in the directory of the runs keeps it until
// the point is done.
type Failure struct {
	Error string `json:"error"` // one line
	Never bool   `json:"never"` // a repetition ends the same way
	By    string `json:"by"`    // process, host and job
	Time  string `json:"time"`  // RFC 3339
}

// Record keeps the error of a point for Status, or removes the one that is kept: after success, and
// after a stop, which is no failure. What can't be written is left out, because the error matters
// more.
func (p *Point) Record(err error) {
	path := failurePath(p.runs, p.Run.Config().RunName())
	switch {
	case errors.Is(err, nbbnn.ErrLocked):
		return
	case err == nil || errors.Is(err, nbbnn.ErrStopped) || errors.Is(err, context.Canceled):
		_ = os.Remove(path)
		return
	}
	failure := Failure{
		Error: lastLine(err.Error()), Never: errors.Is(err, ErrNever), By: files.Self(), Time: time.Now().UTC().Format(time.RFC3339),
	}
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = files.WriteSealed(path, filepath.Base(path), failure)
	}
}

// Folder returns the folder for what a sweep keeps besides the runs: failures and logs.
func Folder(runs string) string { return filepath.Join(runs, ".sweep") }

func failurePath(runs, run string) string { return filepath.Join(Folder(runs), run+".json") }

// readFailure returns how a run last failed, nil if it didn't.
func readFailure(runs, run string) *Failure {
	var failure Failure
	path := failurePath(runs, run)
	if files.ReadSealed(path, filepath.Base(path), &failure) != nil {
		return nil
	}
	return &failure
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}
