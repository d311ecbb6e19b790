package kernel

import "unsafe"

// The kernels have the signatures of assembly: pointers, strides in bytes and counts. These
// functions turn them into what plain Go reads. A stride's multiple is added just before its use,
// so that no pointer beyond the end of its memory is ever kept.

// quad is four numbers: the vector of the portable kernels.
type quad [quadLanes]float32

const quadLanes = 4

// moved returns the pointer advanced by a number of bytes. Offsets of Winograd's transforms may lead to
// another slice, which the compiler's pointer check wouldn't allow.
//
//go:nocheckptr
func moved(p *float32, bytes uintptr) *float32 {
	return (*float32)(unsafe.Pointer(uintptr(unsafe.Pointer(p)) + bytes))
}

// quadAt returns the four numbers at an offset in bytes.
func quadAt(p *float32, bytes uintptr) *quad { return (*quad)(unsafe.Pointer(moved(p, bytes))) }

// numbersAt returns count numbers at an offset in bytes.
func numbersAt(p *float32, bytes uintptr, count int) []float32 {
	return unsafe.Slice(moved(p, bytes), count)
}

// wideBytes is the size of a float64.
const wideBytes = 8

// wideNumbers returns working memory as half as many float64 numbers.
func wideNumbers(memory []float32) []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)*numberBytes/wideBytes)
}

// offsetsAt returns count offsets.
func offsetsAt(p *uintptr, count int) []uintptr { return unsafe.Slice(p, count) }

// offsetTo returns the distance between two values, in bytes.
func offsetTo(from, to *float32) uintptr {
	return uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(from))
}
