package machine

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// A machine is described by its architecture and usable cores; the limit of memory is at most what
// it has.
func TestDescribe(t *testing.T) {
	m, limit := Describe(), MemoryLimit()
	if !strings.HasPrefix(m.Instructions, runtime.GOARCH) || m.Cores < 1 ||
		m.Cores > runtime.NumCPU() {
		t.Errorf("machine is %+v, want architecture %s and 1 to %d cores", m, runtime.GOARCH,
			runtime.NumCPU())
	}
	if m.Memory > 0 && (limit <= 0 || limit > m.Memory) {
		t.Errorf("the limit is %d bytes, want more than 0 and at most %d", limit, m.Memory)
	}
	for cores, want := range map[int]string{1: "1 core, linux/arm64", 2: "2 cores, linux/arm64"} {
		if got := (Machine{Cores: cores, System: "linux/arm64"}).String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// printsCores makes a process of this test's program print how many cores it has.
const printsCores = "NBBNN_TEST_PRINTS_CORES"

// The cores are those that the program may use: GOMAXPROCS, which Go sets by the quota of a control
// group, too, lowers them, but doesn't raise them, nor does a change while the program runs.
func TestDescribeCountsUsableCores(t *testing.T) {
	if os.Getenv(printsCores) != "" {
		runtime.GOMAXPROCS(3)
		fmt.Printf("cores: %d.\n", Describe().Cores)
		return
	}
	for limit, want := range map[string]int{"1": 1, "1000": runtime.NumCPU()} {
		command := exec.CommandContext(t.Context(), os.Args[0],
			"-test.run=^TestDescribeCountsUsableCores$")
		command.Env = append(os.Environ(), printsCores+"=1", "GOMAXPROCS="+limit)
		said, err := command.CombinedOutput()
		if err != nil || !strings.Contains(string(said), fmt.Sprintf("cores: %d.\n", want)) {
			t.Errorf("with GOMAXPROCS=%s: error %v, want %d cores: %s", limit, err, want, said)
		}
	}
}

func TestProcValue(t *testing.T) {
	path := filepath.Join(t.TempDir(), "status")
	testkit.NoError(t, os.WriteFile(path, []byte("Name:\tx\nVmHWM:\t   1234 kB\nmodel name : A "+
		"B: C\n"), 0o600))
	for _, c := range []struct {
		key, want string
	}{{"Name", "x"}, {"model name", "A B: C"}, {"none", ""}} {
		if got := procValue(path, c.key); got != c.want {
			t.Errorf("value of %q is %q, want %q", c.key, got, c.want)
		}
	}
	if got := kilobytes(path, "VmHWM"); got != 1234<<10 {
		t.Errorf("VmHWM is %d bytes, want %d", got, 1234<<10)
	}
	if got := kilobytes(path, "Name"); got != 0 {
		t.Errorf("a value that is no number gives %d bytes, want 0", got)
	}
}

var kept []byte

func TestPeakMemoryGrowsAndIsReset(t *testing.T) {
	if PeakMemory() == 0 {
		t.Skip("this system doesn't count peak memory")
	}
	const size = 200 << 20
	kept = make([]byte, size)
	for i := 0; i < len(kept); i += 4096 {
		kept[i] = 1
	}
	high := PeakMemory()
	if high < size {
		t.Errorf("peak memory is %d bytes, want at least the %d that are in use", high, size)
	}
	kept = nil
	ResetPeakMemory()
	if low := PeakMemory(); low > high-size/2 {
		t.Logf("peak memory is %d bytes after the reset, %d before: this system doesn't reset it",
			low, high)
	}
}

// A child of a shell with a limit of its address space sees the limit.
func TestMemoryLimitOfAddressSpace(t *testing.T) {
	if os.Getenv("NBBNN_TEST_LIMIT") != "" {
		fmt.Println("limit", MemoryLimit())
		return
	}
	if runtime.GOOS != "linux" {
		t.Skip("only Linux shows limits in /proc")
	}
	child := exec.Command("sh", "-c",
		`ulimit -v 3000000 && exec "$0" -test.run TestMemoryLimitOfAddressSpace`, os.Args[0])
	child.Env = append(os.Environ(), "NBBNN_TEST_LIMIT=1")
	out, err := child.Output()
	if err != nil || !strings.Contains(string(out), fmt.Sprint("limit ", 3000000*1024)) {
		t.Errorf("got %q, %v, want the limit of 3,000,000 kB", out, err)
	}
}
