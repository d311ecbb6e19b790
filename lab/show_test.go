//go:build unix

package lab

import (
	"encoding/gob"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/viz"
)

func TestShowOutsideNotebook(t *testing.T) {
	if gonbui.IsNotebook {
		t.Skip("the tests run inside a notebook")
	}
	if err := show(smallFigure(t, "fog"), nil); err != nil {
		t.Errorf("show: %v, want no error", err)
	}
	checkError(t, "an error", show(viz.Row()), "viz: a row of 0 figures")
	checkError(t, "another type", show("text"), "lab: a value of type string can't be shown")
	checkError(t, "nil figure", show((*viz.Figure)(nil)), "lab: a figure to show is nil")
	checkError(t, "bad table", show(viz.Table{}), "0 columns")
	checkError(t, "bad gallery", show(viz.Gallery{}), "viz: a gallery without images")
}

// A notebook has each picture by the time that Show returns: the kernel's side here answers the
// request for confirmation only after it has noted all that came before.
func TestShowInNotebook(t *testing.T) {
	kernel := startKernel(t)
	pixels := [][]uint8{make([]uint8, 12)}
	for _, c := range []struct {
		things []any
		want   string
	}{
		{[]any{smallFigure(t, "fog"), smallFigure(t, "snow")}, "image/png:106 image/png:121"},
		{[]any{viz.Table{Header: []string{"NLL"}, Rows: [][]string{{"0.3"}}}, nil}, "text/html"},
		{[]any{viz.Gallery{Height: 2, Width: 2, Pixels: pixels}}, "image/png:76"},
		{[]any{viz.ImageGrid{Height: 2, Width: 2, Pixels: [][][]uint8{pixels}}}, "image/png:76"},
	} {
		testkit.NoError(t, show(c.things...))
		if got := strings.Join(kernel.taken(), " "); got != c.want {
			t.Errorf("the notebook has %q after show, want %q", got, c.want)
		}
	}
	checkError(t, "nil figure", show(smallFigure(t, "fog"), (*viz.Figure)(nil)),
		"a figure to show is nil")
	if got := kernel.taken(); len(got) != 0 {
		t.Errorf("the notebook has %q after a failure, want nothing", got)
	}
}

// In a notebook, the hint for a wrong submission is folded below the mark.
func TestGradeFoldsHint(t *testing.T) {
	kernel := startKernel(t)
	if Grade("0.2", func(_, _, _ float64) float64 { return 0 }) {
		t.Error("0 is right")
	}
	if got := strings.Join(kernel.taken(), " "); got != "text/html with a folded hint" {
		t.Errorf("the notebook has %q, want one element with a folded hint", got)
	}
}

var foldedHint = regexp.MustCompile(
	`^<details><summary>[^<]+</summary>[^<]* Hint: [^<]+</details>$`)

// smallFigure returns a figure of one image with the given row caption.
func smallFigure(t *testing.T, caption string) *viz.Figure {
	t.Helper()
	figure := testkit.Must(viz.CorruptionGrid(viz.ImageGrid{Rows: []string{caption}, Height: 2,
		Width: 2, Pixels: [][][]uint8{{make([]uint8, 12)}}}))(t)
	return figure
}

// checkError fails unless the error holds the text.
func checkError(t *testing.T, name string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got %v, want an error with %q", name, err, want)
	}
}

// kernel plays the notebook's side of the two pipes.
type kernel struct {
	kinds chan string // MIME types of the messages, in their order, with the widths of pictures
}

// pipes is the only kernel of the process: the display library opens its pipes once.
var pipes = sync.OnceValues(func() (kernel, error) {
	k := kernel{kinds: make(chan string, 16)}
	directory, err := os.MkdirTemp("", "kernel")
	if err != nil {
		return k, err
	}
	there, back := filepath.Join(directory, "there"), filepath.Join(directory, "back")
	for variable, path := range map[string]string{protocol.GONB_PIPE_ENV: there,
		protocol.GONB_PIPE_BACK_ENV: back} {
		if err := errors.Join(syscall.Mkfifo(path, 0o600), os.Setenv(variable, path)); err != nil {
			return k, err
		}
	}
	go func() {
		defer os.RemoveAll(directory)
		k.serve(there, back)
	}()
	return k, nil
})

// startKernel makes this process look like a notebook's cell to the display library, until the end
// of the test.
func startKernel(t *testing.T) kernel {
	t.Helper()
	k, err := pipes()
	if err != nil {
		t.Skipf("no named pipes here: %v", err)
	}
	gonbui.IsNotebook = true
	t.Cleanup(func() { gonbui.IsNotebook = false })
	return k
}

// serve notes the messages and confirms when asked to. It panics where the pipes fail, which has no
// test to report to.
func (k kernel) serve(there, back string) {
	input, err := os.Open(there)
	if err != nil {
		panic(err)
	}
	output, err := os.OpenFile(back, os.O_WRONLY, 0)
	if err != nil {
		panic(err)
	}
	decoder, encoder := gob.NewDecoder(input), gob.NewEncoder(output)
	for {
		var message protocol.DisplayData
		if decoder.Decode(&message) != nil {
			return
		}
		for kind, content := range message.Data {
			request, ok := content.(protocol.CommValue)
			if !ok {
				note := width(message)
				if text, _ := content.(string); foldedHint.MatchString(text) {
					note = " with a folded hint"
				}
				k.kinds <- string(kind) + note
				continue
			}
			if request.Address != protocol.GonbuiSyncAddress {
				continue // as the start of the connection to the page
			}
			answer := protocol.CommValue{Address: protocol.GonbuiSyncAckAddress,
				Value: request.Value}
			if err := encoder.Encode(&answer); err != nil {
				panic(err)
			}
		}
	}
}

// width returns the width that a picture is to be shown at, as in ":79".
func width(message protocol.DisplayData) string {
	measures, ok := message.Metadata["image/png"].(map[string]int)
	if !ok {
		return ""
	}
	return fmt.Sprintf(":%d", measures["width"])
}

// taken returns the kinds of the messages that have come so far.
func (k kernel) taken() []string {
	var kinds []string
	for {
		select {
		case kind := <-k.kinds:
			kinds = append(kinds, kind)
		default:
			return kinds
		}
	}
}
