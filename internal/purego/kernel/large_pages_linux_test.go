package kernel

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The system's list of a process's memory says for which parts large pages were asked.
func TestLargePagesAreAskedFor(t *testing.T) {
	numbers := make([]float32, 3*largePage/numberBytes)
	UseLargePages(numbers)
	largePages.mutex.Lock()
	off := largePages.off
	largePages.mutex.Unlock()
	if off {
		t.Skip("this system has no large pages")
	}
	if !knowsLargePages(t) {
		t.Skip("this system takes the request and does nothing, as qemu-user does")
	}
	begin := uintptr(unsafe.Pointer(&numbers[0]))
	for _, at := range []uintptr{begin, begin + 3*largePage - 1} {
		if flags := flagsOfMemory(t, at); !strings.Contains(flags+" ", " hg ") {
			t.Errorf("memory at %x has the flags %q, without hg", at, flags)
		}
	}
}

// knowsLargePages reports whether a request for memory of its own is in the system's list.
func knowsLargePages(t *testing.T) bool {
	t.Helper()
	memory := testkit.Must(unix.Mmap(-1, 0, 2*largePage, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_ANON|unix.MAP_PRIVATE))(t)
	defer func() {
		if err := unix.Munmap(memory); err != nil {
			t.Error(err)
		}
	}()
	testkit.NoError(t, unix.Madvise(memory, unix.MADV_HUGEPAGE))
	return strings.Contains(flagsOfMemory(t, uintptr(unsafe.Pointer(&memory[0])))+" ", " hg ")
}

// flagsOfMemory returns the flags of the part of memory that holds an address.
func flagsOfMemory(t *testing.T, address uintptr) string {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	inside := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var begin, end uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &begin, &end); n == 2 {
			inside = begin <= address && address < end
		}
		if flags, is := strings.CutPrefix(lines.Text(), "VmFlags:"); is && inside {
			return flags
		}
	}
	t.Skipf("the list of this process's memory lacks %x", address)
	return ""
}
