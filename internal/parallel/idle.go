package parallel

import "sync/atomic"

// idle is the work of WhileIdle; nil if there is none.
var idle atomic.Pointer[func() (more bool)]

// WhileIdle sets work that cores do while they wait for each other, in place of what was set before.
// Each call of piece does a part of it that takes less than a microsecond, and reports whether more
// is left. Several cores may call it at once, and one may still be in it after WhileIdle set other
// work. It must not panic. Cores that never wait never call it, so the work must be possible
// elsewhere.
func WhileIdle(piece func() (more bool)) { idle.Store(&piece) }

// Idle does a piece of the work of WhileIdle. It's for a core that waits for another one.
func Idle() {
	if piece := idle.Load(); piece != nil && !(*piece)() {
		idle.CompareAndSwap(piece, nil)
	}
}
