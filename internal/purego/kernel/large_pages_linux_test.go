package kernel

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"unsafe"
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
	begin := uintptr(unsafe.Pointer(&numbers[0]))
	for _, at := range []uintptr{begin, begin + 3*largePage - 1} {
		if flags := flagsOfMemory(t, at); !strings.Contains(flags+" ", " hg ") {
			t.Errorf("memory at %x has the flags %q, without hg", at, flags)
		}
	}
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
