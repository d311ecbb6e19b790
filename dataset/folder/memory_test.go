package folder

import (
	"sync"
	"sync/atomic"
	"testing"
)

// However many cores decode, they take no more memory together than the limit.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	var group sync.WaitGroup
	var taken, most atomic.Int64
	for i := range 64 {
		group.Go(func() {
			bytes := int64(maxDecoding / (1 + i%4))
			release := m.take(bytes)
			most.Store(max(most.Load(), taken.Add(bytes)))
			taken.Add(-bytes)
			release()
		})
	}
	group.Wait()
	if most.Load() > maxDecoding || most.Load() == 0 || m.taken != 0 {
		t.Errorf("%d bytes at most and %d at the end, want up to %d and 0", most.Load(), m.taken, maxDecoding)
	}
	if maxPixels*maxPixelBytes > maxDecoding {
		t.Error("the largest picture would wait for ever")
	}
}
