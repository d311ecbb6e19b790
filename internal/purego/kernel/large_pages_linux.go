package kernel

import (
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Kernels write to many places that are kilobytes apart, for example the frequencies of Winograd's
// algorithm, so the processor translates more addresses than it can remember, and in a virtual
// machine each translation takes long. Pages of 2 MB instead of 4 KB need few of them. Many systems
// give them only to memory for which they were asked (transparent huge pages: "madvise").

const (
	largePage        = 2 << 20   // bytes
	fewestLargeBytes = 256 << 10 // of numbers that are worth a large page
)

// largePages holds the pages that were asked for, by address / largePage.
var largePages struct {
	mutex sync.Mutex
	asked map[uintptr]bool
	off   bool // the system has no large pages, or no way to ask for them
}

// UseLargePages asks the system to keep numbers from Go's heap on large pages. It helps where they
// were never written before. The pages reach beyond the numbers, over others on the heap, to which
// it makes no difference.
func UseLargePages(numbers []float32) {
	bytes := uintptr(len(numbers) * numberBytes)
	if bytes < fewestLargeBytes {
		return
	}
	begin := uintptr(unsafe.Pointer(unsafe.SliceData(numbers)))
	first, end := begin/largePage, (begin+bytes-1)/largePage+1
	largePages.mutex.Lock()
	defer largePages.mutex.Unlock()
	if largePages.off || !isNew(first, end) {
		return
	}
	_, _, problem := unix.Syscall(unix.SYS_MADVISE, first*largePage, (end-first)*largePage,
		unix.MADV_HUGEPAGE)
	largePages.off = problem == unix.EINVAL || problem == unix.ENOSYS
}

// isNew reports whether one of the pages first..end-1 was not asked for before, and marks them all.
func isNew(first, end uintptr) (found bool) {
	if largePages.asked == nil {
		largePages.asked = map[uintptr]bool{}
	}
	for page := first; page < end; page++ {
		if !largePages.asked[page] {
			largePages.asked[page], found = true, true
		}
	}
	return found
}
