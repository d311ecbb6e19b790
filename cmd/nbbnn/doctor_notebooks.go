package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// finding is something that notebooks need, and how it was found.
type finding struct {
	Name  string `json:"name"`
	Found bool   `json:"found"`
	Text  string `json:"text"` // where it is, or what to do
}

// binPath and kernelPath are where `make lab` keeps programs and the kernel's description, below
// the clone's root.
const (
	binPath    = ".cache/bin"
	kernelPath = ".cache/venv/share/jupyter/kernels/gonb/kernel.json"
)

// diagnoseNotebooks looks for what notebooks need in the clone that holds a directory.
func diagnoseNotebooks(directory string) []finding {
	root, err := cloneRoot(directory)
	if errors.Is(err, errNoClone) {
		return []finding{{Name: "clone", Text: "not here: run this in a clone of the workbench to have its notebooks checked"}}
	}
	if err != nil {
		return []finding{{Name: "clone", Text: err.Error()}}
	}
	findings := []finding{
		onPath("go", "install Go 1.26.5 or newer"),
		findPython(),
		inClone("python", root, pythonPath),
		inClone("jupyterlab", root, ".cache/venv/bin/jupyter-lab"),
		findLock(root),
		findKernel(filepath.Join(root, kernelPath)),
		inClone("goimports", root, filepath.Join(binPath, "goimports")),
		inClone("gopls", root, filepath.Join(binPath, "gopls")),
		findPort(labPort),
		onPath("chromium", "only make test-browser needs it (Debian: apt install chromium)"),
	}
	return append(findings, findOwnJupyter()...)
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
	if _, err := os.Stat(path); err != nil {
		return finding{Name: name, Text: "`make lab` installs it"}
	}
	return finding{name, true, path}
}

// findLock says whether the Python environment was made from the present lock file.
func findLock(root string) finding {
	want, err := os.ReadFile(filepath.Join(root, "notebooks/requirements.txt"))
	have, missing := os.ReadFile(filepath.Join(root, ".cache/venv/requirements.txt"))
	if err = errors.Join(err, missing); err != nil || string(want) != string(have) {
		return finding{Name: "versions", Text: "the Python environment is not that of notebooks/requirements.txt: `make lab` replaces it"}
	}
	return finding{"versions", true, "those of notebooks/requirements.txt"}
}

// findKernel says whether the kernel's description names a program that is there, of the version
// that go.mod pins.
func findKernel(path string) finding {
	var description struct {
		Command []string `json:"argv"`
	}
	data, err := os.ReadFile(path)
	if err != nil || json.Unmarshal(data, &description) != nil || len(description.Command) == 0 {
		return finding{Name: "kernel", Text: "`make lab` installs it, `make kernel` adds it to another Jupyter"}
	}
	program := description.Command[0]
	if have := moduleVersion(program); have != kernelVersion {
		return finding{Name: "kernel", Text: program + " is " + have + ", want " + kernelVersion + ": `make lab` replaces it"}
	}
	return finding{"kernel", true, program + ", gonb " + kernelVersion}
}

// labPort is where `make lab` serves.
const labPort = 8888

// findPort reports whether a port of this machine is free.
func findPort(port int) finding {
	listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return finding{Name: "free port", Text: fmt.Sprintf("%d is taken, perhaps by a JupyterLab that is open already: `make lab PORT=%d` chooses another", port, port+1)}
	}
	listener.Close()
	return finding{"free port", true, fmt.Sprint(port)}
}

// kernelVersion is the version of gonb that tools/programs/go.mod pins.
const kernelVersion = "v0.11.4"

// moduleVersion returns the version of the module that a Go program was built from, "missing" when
// there is no such program.
func moduleVersion(program string) string {
	output, err := exec.Command("go", "version", "-m", program).Output()
	if err != nil {
		return "missing"
	}
	for line := range strings.Lines(string(output)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[0] == "mod" {
			return fields[2]
		}
	}
	return "of unknown version"
}
