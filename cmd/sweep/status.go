package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/parallel"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn"
)

// State is a point's progress.
type State string

// The states.
const (
	Done    State = "done"    // trained and tested
	Running State = "running" // a process holds the run
	Stopped State = "stopped" // begun, and no process holds the run
	Failed  State = "failed"  // the last attempt ended with an error
	Waiting State = "waiting" // not begun
	Foreign State = "foreign" // not begun, and another program defines the network or the method
)

// PointStatus is the state of a point in a directory of runs.
type PointStatus struct {
	Index  int    `json:"index"`
	Name   string `json:"name"`
	Run    string `json:"run"`
	State  State  `json:"state"`
	Epoch  int    `json:"epoch"`  // trained so far
	Epochs int    `json:"epochs"` // of the whole training
	Holder string `json:"holder,omitempty"`
	// of the training of a running point, by its latest epochs; 0 if unknown
	Left    time.Duration `json:"left_ns,omitempty"`
	Failure *Failure      `json:"failure,omitempty"`

	wall float64 // seconds of training and test of a point that is done
}

// Status is a sweep's progress.
type Status struct {
	Points []PointStatus `json:"points"`
}

// Status reads the cards of all points, and of points without one the history, the lock and the
// last failure. A directory that can't be opened is a failure, too.
func (m *Manifest) Status(runs string) (Status, error) {
	status := Status{make([]PointStatus, len(m.Points))}
	err := parallel.Each(len(m.Points), func(index int) error {
		config, err := m.config(index)
		if err != nil {
			return err
		}
		s := &status.Points[index]
		*s = PointStatus{Index: index, Name: m.Name(config), Run: config.RunName(), State: Waiting,
			Epochs: config.Training.Epochs}
		point, err := m.Open(runs, index)
		if err != nil { // for example the directory of a newer version
			s.State, s.Failure = Failed, &Failure{Error: lastLine(err.Error()),
				Never: errors.Is(err, ErrNever)}
			if cmp.Or(config.Network.Undefined(), methods.Undefined(config.Method)) != nil {
				s.State = Foreign
			}
			return nil
		}
		point.look(s)
		return nil
	})
	return status, err
}

// look fills in how far a point is.
func (p *Point) look(s *PointStatus) {
	state, _ := p.Run.State() // an unreadable run counts as missing: Do reports why
	s.Epoch = state.Epoch
	if card := state.Card; card != nil && p.measure.Done(p.Run, *card) {
		s.State, s.wall = Done, card.WallSeconds
		if card.Evaluation != nil {
			s.wall += card.Evaluation.WallSeconds
		}
		return
	}
	switch {
	case state.Holder != "":
		s.State, s.Holder = Running, state.Holder
		s.Left = timeLeft(state.History, s.Epochs)
		return
	case state.Begun:
		s.State = Stopped
	}
	if s.Failure = readFailure(p.runs, s.Run); s.Failure != nil {
		s.State = Failed
	}
}

// Count returns the number of points in a state.
func (s Status) Count(state State) (count int) {
	for _, point := range s.Points {
		if point.State == state {
			count++
		}
	}
	return count
}

// Left estimates how long the running points need for all that isn't done, by the mean time of
// finished ones; 0 if unknown.
func (s Status) Left() time.Duration {
	done, running := s.Count(Done), s.Count(Running)
	if done == 0 || running == 0 {
		return 0
	}
	seconds, missing := 0.0, 0.0
	for _, point := range s.Points {
		seconds += point.wall / float64(done)
	}
	for _, point := range s.Points {
		switch point.State {
		case Done:
		case Failed:
			if !point.Failure.Never {
				missing++
			}
		default:
			missing += 1 - float64(point.Epoch)/float64(max(1, point.Epochs))
		}
	}
	return quantity.Duration(seconds * missing / float64(running))
}

// String returns a text like "24 points: 20 done, 2 running, 2 waiting".
func (s Status) String() string {
	var parts []string
	for _, state := range []State{Done, Running, Stopped, Failed, Waiting, Foreign} {
		if count := s.Count(state); count > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", count, state))
		}
	}
	return counted(len(s.Points), "point") + ": " + strings.Join(parts, ", ")
}

// Failure is the last failure of a point, stored in the folder .sweep in the directory of runs
// until the point is done.
type Failure struct {
	Error string `json:"error"` // one line
	Never bool   `json:"never"` // a repetition ends the same way
	By    string `json:"by"`    // process, host and job
	Time  string `json:"time"`  // RFC 3339
}

// Record stores a point's error for Status. After success or a stop it removes the stored one. A
// failed write is ignored, because the error matters more.
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
		Error: lastLine(err.Error()), Never: errors.Is(err, ErrNever), By: files.Self(),
		Time: time.Now().UTC().Format(time.RFC3339),
	}
	if os.MkdirAll(filepath.Dir(path), 0o755) == nil {
		_ = files.WriteSealed(path, filepath.Base(path), failure)
	}
}

// Folder returns the folder for a sweep's failures and logs.
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

// timeLeft estimates the time of the remaining epochs from the latest five of a nbbnn.Run.History;
// 0 before the first.
func timeLeft(history []nbbnn.Epoch, epochs int) time.Duration {
	if len(history) < 2 {
		return 0
	}
	trained := history[1:]
	latest, seconds := trained[max(0, len(trained)-5):], 0.0
	for _, epoch := range latest {
		seconds += epoch.Seconds
	}
	return quantity.Duration(seconds / float64(len(latest)) * float64(epochs-len(trained)))
}
