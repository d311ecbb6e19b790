package command

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/records"
	"github.com/nbbnn/workbench/nbbnn"
)

func doctorCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "doctor",
		Short:   "Say which engine is used and why, what is faster, and what notebooks lack",
		Example: "  nbbnn doctor\n  GOMLX_BACKEND=go nbbnn doctor",
		RunE:    func(*cobra.Command, []string) error { return printDoctor(a, engine.Inspect()) },
	}
}

type diagnosis struct {
	engine.Report
	Engine    string    `json:"engine"`           // that is used, "" with a problem
	Reason    string    `json:"reason,omitempty"` // why it was chosen
	Advice    []string  `json:"advice,omitempty"` // what would make it faster, one line each
	Notebooks []finding `json:"notebooks"`        // the requirements of notebooks
	Runs      []finding `json:"runs"`             // count of readable, and each unreadable
	System    string    `json:"system"`
	Go        string    `json:"go"`
	Version   string    `json:"version"` // of this program
}

func diagnose(report engine.Report, runs string) diagnosis {
	d := diagnosis{
		Report: report, Notebooks: diagnoseNotebooks("."), Runs: diagnoseRuns(runs),
		System: runtime.GOOS + "/" + runtime.GOARCH, Go: runtime.Version(),
		Version: machine.Version(),
	}
	if report.Chosen != nil {
		d.Engine, d.Reason, d.Advice = report.Chosen.Name, report.Chosen.Reason,
			report.Chosen.Advice
	}
	return d
}

// printDoctor prints the findings. Afterwards it fails if no engine can be opened.
func printDoctor(a *app, report engine.Report) error {
	d := diagnose(report, a.runs)
	if err := a.print(d, "%s", d.text(a)); err != nil || d.Problem == "" {
		return err
	}
	return errors.New(d.Problem)
}

func (d diagnosis) text(a *app) (text string) {
	if d.Engine != "" {
		text = fmt.Sprintf("engine   %s, %s\nreason   %s\n", d.Engine,
			quantity.Count(d.Cores, "core"), d.Reason)
	}
	for _, advice := range d.Advice {
		text += "advice   " + advice + "\n"
	}
	for _, c := range d.Candidates {
		text += fmt.Sprintf("engines  %-9s %s   %s\n", c.Name, a.status(c.Found, "found  "),
			c.Detail)
	}
	for _, f := range d.Notebooks {
		text += fmt.Sprintf("notebook %-10s %s   %s\n", f.Name, a.status(f.Found, "found  "),
			f.Text)
	}
	for _, f := range d.Runs {
		text += fmt.Sprintf("runs     %-10s %s   %s\n", f.Name, a.status(f.Found, "found  "),
			f.Text)
	}
	return text + fmt.Sprintf("machine  %s, %s\nprogram  nbbnn %s, %s, %s\n",
		d.Processor, quantity.Count(d.Cores, "core"), d.Version, d.Go, d.System)
}

// status returns a word for something found, or "missing", in colour.
func (a *app) status(isThere bool, word string) string {
	if isThere {
		return a.paintOut(green, word)
	}
	return a.paintOut(yellow, "missing")
}

// diagnoseRuns looks for runs that can't be read: edited, renamed, half-written or of another
// version of the program. Readable ones are counted.
func diagnoseRuns(directory string) []finding {
	directories, err := records.List(directory)
	if err != nil || len(directories) == 0 {
		return nil // `nbbnn runs` says that there are none
	}
	var broken []finding
	for _, directory := range directories {
		run, err := nbbnn.OpenDirectory(directory)
		if err == nil {
			_, err = readListed(run)
		}
		if err == nil {
			_, err = run.History()
		}
		if err != nil {
			broken = append(broken, finding{Name: "run", Text: err.Error()})
		}
	}
	readable := finding{"runs", true, fmt.Sprintf("%d in %s", len(directories)-len(broken),
		directory)}
	return append([]finding{readable}, broken...)
}

// announceEngine opens the engine, and prints its name and how to make it faster.
func announceEngine(a *app) (*engine.Engine, error) {
	opened, err := engine.Open()
	if err != nil {
		return nil, err
	}
	line := fmt.Sprintf("engine   %s, %s", opened.Name, quantity.Count(opened.Cores, "core"))
	if len(opened.Advice) > 0 {
		line += "; " + opened.Advice[0] + ": nbbnn doctor"
	}
	fmt.Fprintln(a.err, line)
	return opened, nil
}

// finding is something that notebooks need, and how it was found.
type finding struct {
	Name  string `json:"name"`
	Found bool   `json:"found"`
	Text  string `json:"text"` // where it is, or what to do
}

// binPath and kernelPath are where `make lab` keeps programs and the kernel's description, below
// the clone's root.
const (
	runnerPath = "tools/notebook/run.py"
	pythonPath = ".cache/venv/bin/python"
	binPath    = ".cache/bin"
	kernelPath = ".cache/venv/share/jupyter/kernels/gonb/kernel.json"
)

// diagnoseNotebooks looks for what notebooks need in the clone that holds a directory.
func diagnoseNotebooks(directory string) []finding {
	root := files.Above(directory, runnerPath)
	if root == "" {
		return []finding{{Name: "clone", Text: "not here: `git clone " +
			"https://github.com/nbbnn/workbench` brings notebooks, `make lab` in it the rest"}}
	}
	findings := []finding{
		onPath("go", "install Go 1.27 or newer"),
		onPath("python3", "install Python 3.11 or newer (Debian: apt install python3-venv; "+
			"macOS: brew install python)"),
		inClone("python", root, pythonPath),
		inClone("jupyterlab", root, ".cache/venv/bin/jupyter-lab"),
		findLock(root),
		findKernel(filepath.Join(root, kernelPath)),
		inClone("goimports", root, filepath.Join(binPath, "goimports")),
		inClone("gopls", root, filepath.Join(binPath, "gopls")),
	}
	return append(findings, findOwnKernel()...)
}

// onPath looks for a program that the person installs.
func onPath(name, cure string) finding {
	path, err := exec.LookPath(name)
	if err != nil {
		return finding{Name: name, Text: cure}
	}
	return finding{name, true, path}
}

// inClone looks for a program that `make lab` installs.
func inClone(name, root, path string) finding {
	path = filepath.Join(root, path)
	if !isThere(path) {
		return finding{Name: name, Text: "`make lab` installs it"}
	}
	return finding{name, true, path}
}

// findLock reports whether the Python environment was made from the present lock file.
func findLock(root string) finding {
	want, err := files.ReadFile(filepath.Join(root, "notebooks/requirements.txt"))
	have, missing := files.ReadFile(filepath.Join(root, ".cache/venv/requirements.txt"))
	if err = errors.Join(err, missing); err != nil || string(want) != string(have) {
		return finding{Name: "versions", Text: "the Python environment differs from " +
			"notebooks/requirements.txt: `make lab` replaces it"}
	}
	return finding{"versions", true, "as in notebooks/requirements.txt"}
}

// findKernel reports whether the kernel's description names an existing program of the version that
// go.mod pins.
func findKernel(path string) finding {
	var description struct {
		Command []string `json:"argv"`
	}
	data, err := files.ReadFile(path)
	if err != nil || json.Unmarshal(data, &description) != nil || len(description.Command) == 0 {
		return finding{Name: "kernel", Text: "`make lab` installs it, `make kernel` adds it to " +
			"another Jupyter"}
	}
	program := description.Command[0]
	if have := moduleVersion(program); have != kernelVersion {
		return finding{Name: "kernel", Text: program + " is " + have + ", want " +
			kernelVersion + ": `make lab` replaces it"}
	}
	return finding{"kernel", true, program + ", gonb " + kernelVersion}
}

// kernelVersion is the version of gonb that tools/programs/go.mod pins.
const kernelVersion = "v0.11.5"

// moduleVersion returns the version of the module that a Go program was built from, "missing" when
// there is no such program.
func moduleVersion(program string) string {
	info, err := buildinfo.ReadFile(program)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "missing"
	case err != nil:
		return "of unknown version"
	}
	return info.Main.Version
}

// findOwnKernel looks at the kernel that the person's own Jupyter finds, outside of the clone.
// There is no finding without one.
func findOwnKernel() []finding {
	data := os.Getenv("JUPYTER_DATA_DIR")
	// without a home, nothing is found below it
	if home, _ := os.UserHomeDir(); data == "" && runtime.GOOS == "darwin" {
		data = filepath.Join(home, "Library", "Jupyter")
	} else if data == "" {
		data = filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local",
			"share")), "jupyter")
	}
	folders := append(filepath.SplitList(os.Getenv("JUPYTER_PATH")), data,
		"/opt/homebrew/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter")
	for _, folder := range folders {
		path := filepath.Join(folder, "kernels/gonb/kernel.json")
		if !isThere(path) {
			continue
		}
		own := findKernel(path)
		own.Name = "own kernel"
		own.Text = strings.Replace(own.Text, "`make lab` replaces it", "remove "+filepath.Dir(path)+
			", then `make kernel`", 1)
		return []finding{own}
	}
	return nil
}
