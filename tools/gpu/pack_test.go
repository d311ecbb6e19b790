//go:build linux

package gpu

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pack calls a function of pack.sh with the settings of gpu.sh.
func pack(t *testing.T, call string) {
	t.Helper()
	const settings = `set -euo pipefail; root=/nowhere; say() { echo "$*"; }; fail() { echo "$*"; exit 1; }; source pack.sh; `
	if said, err := exec.Command("bash", "-c", settings+call).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v: %s", call, err, said)
	}
}

// fill writes files of some bytes.
func fill(t *testing.T, folder string, sizes map[string]int) {
	t.Helper()
	for name, size := range sizes {
		path := filepath.Join(folder, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755),
			os.WriteFile(path, make([]byte, size), 0o755)); err != nil {
			t.Fatal(err)
		}
	}
}

// The first part of a set leaves room for the programs.
func TestPackLeavesRoomForThePrograms(t *testing.T) {
	const room, set = 50000, 40000
	programs := map[string]int{"nbbnn.xz": 20000, "bench.xz": 3000, "agree.xz": 2000, "ciz": 1000}
	folder := t.TempDir()
	fill(t, filepath.Join(folder, "program"), programs)
	fill(t, filepath.Join(folder, "packed"), map[string]int{"set.ciz": set})
	pack(t, "pack_set "+folder+" "+folder+"/packed 50000 cifar10 set.ciz")
	first, err := os.Stat(filepath.Join(folder, "cifar10-0", "cifar10-part0"))
	if err != nil {
		t.Fatal(err)
	}
	if want := int64(room - 26000); first.Size() != want {
		t.Errorf("the first part has %d bytes, want %d", first.Size(), want)
	}
	if parts, err := os.ReadFile(filepath.Join(folder, "program", "cifar10.parts")); err != nil ||
		strings.TrimSpace(string(parts)) != "2" {
		t.Errorf("%q parts (%v), want 2", parts, err)
	}
}
