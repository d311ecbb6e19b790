package bench

import "fmt"

// Duration writes seconds with three digits: 7.25 ms, 123 ms, 1.23 s.
func Duration(seconds float64) string {
	switch milliseconds := 1e3 * seconds; {
	case milliseconds < 10:
		return fmt.Sprintf("%.2f ms", milliseconds)
	case milliseconds < 100:
		return fmt.Sprintf("%.1f ms", milliseconds)
	case milliseconds < 1000:
		return fmt.Sprintf("%.0f ms", milliseconds)
	default:
		return fmt.Sprintf("%.2f s", seconds)
	}
}

// Bytes writes an amount of memory: 320 MB, 1.9 GB; none is one that wasn't measured.
func Bytes(count int64) string {
	if count <= 0 {
		return "not measured"
	}
	if count < 1e9 {
		return fmt.Sprintf("%.0f MB", float64(count)/1e6)
	}
	return fmt.Sprintf("%.1f GB", float64(count)/1e9)
}
