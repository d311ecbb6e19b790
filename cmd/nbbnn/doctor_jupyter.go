package main

import (
	"cmp"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// findOwnJupyter looks at the kernel that the person's own Jupyter finds, outside of the clone, and
// at the JupyterLab on the PATH. There is no finding where neither `make kernel` nor anybody else
// added a kernel called gonb.
func findOwnJupyter() []finding {
	for _, folder := range jupyterFolders() {
		path := filepath.Join(folder, "kernels/gonb/kernel.json")
		if _, err := os.Stat(path); err != nil {
			continue
		}
		own := findKernel(path)
		own.Name = "own kernel"
		if !own.Found {
			own.Text = strings.Replace(own.Text, "`make lab` replaces it", ownKernelCure(folder), 1)
		}
		ctx, cancel := context.WithTimeout(context.Background(), labLimit)
		defer cancel()
		return append([]finding{own}, findOwnLab(ctx)...)
	}
	return nil
}

// ownKernelCure says how a kernel in a folder of Jupyter's gives way to one of the right version.
func ownKernelCure(folder string) string {
	if folder == jupyterData() {
		return "`make kernel` replaces it"
	}
	return "remove " + filepath.Join(folder, "kernels/gonb") + ", which Jupyter finds first, then `make kernel`"
}

// jupyterFolders are the folders in which a Jupyter outside of virtual environments looks for
// kernels, in its order.
func jupyterFolders() []string {
	folders := filepath.SplitList(os.Getenv("JUPYTER_PATH"))
	return append(folders, jupyterData(), "/opt/homebrew/share/jupyter", "/usr/local/share/jupyter", "/usr/share/jupyter")
}

// jupyterData is the folder of Jupyter's data outside of virtual environments.
func jupyterData() string {
	if folder := os.Getenv("JUPYTER_DATA_DIR"); folder != "" {
		return folder
	}
	home, _ := os.UserHomeDir() // without one, nothing is found below it
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter")
	}
	return filepath.Join(cmp.Or(os.Getenv("XDG_DATA_HOME"), filepath.Join(home, ".local", "share")), "jupyter")
}

// labLimit is how long a JupyterLab may take to say its version, on a slow disk too.
const labLimit = 20 * time.Second

// findOwnLab says whether the JupyterLab on the PATH is one with which the notebooks were tried,
// 3.6 or newer. There is no finding where none says its version before the context ends.
func findOwnLab(ctx context.Context) []finding {
	command := exec.CommandContext(ctx, "jupyter-lab", "--version")
	command.WaitDelay = time.Second // for what it started and what holds its output open
	output, err := command.Output()
	version := strings.TrimSpace(string(output))
	if err != nil || version == "" {
		return nil
	}
	if parts := strings.Split(version, "."); atLeast(parts[0], 4) || len(parts) > 1 && parts[0] == "3" && atLeast(parts[1], 6) {
		return []finding{{"own lab", true, "JupyterLab " + version}}
	}
	return []finding{{Name: "own lab", Text: "JupyterLab " + version + " is older than 3.6, with which the notebooks were tried: `make lab` brings a newer one"}}
}

// oldestPython is the minor version of Python 3 that `make lab` needs.
const oldestPython = 11

// findPython says whether the PATH has a Python from which `make lab` can make its environment.
func findPython() finding {
	missing := finding{Name: "python3", Text: "install Python 3.11 or newer (Debian: apt install python3-venv; macOS: brew install python)"}
	path, err := exec.LookPath("python3")
	if err != nil {
		return missing
	}
	output, err := exec.Command(path, "--version").Output()
	version, isPython := strings.CutPrefix(strings.TrimSpace(string(output)), "Python 3.")
	if err != nil || !isPython {
		return missing
	}
	if minor, _, _ := strings.Cut(version, "."); !atLeast(minor, oldestPython) {
		return finding{Name: "python3", Text: path + " is Python 3." + version + ", want 3.11 or newer: `make lab PYTHON=...` names another"}
	}
	return finding{"python3", true, path + ", Python 3." + version}
}

// atLeast says whether a text is a number of the given size or larger.
func atLeast(text string, least int) bool {
	number, err := strconv.Atoi(text)
	return err == nil && number >= least
}
