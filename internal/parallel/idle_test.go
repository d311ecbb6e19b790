package parallel

import "testing"

func TestIdleDoesPiecesUntilNoneIsLeft(t *testing.T) {
	left := 3
	WhileIdle(func() bool { left--; return left > 0 })
	for range 10 {
		Idle()
	}
	if left != 0 {
		t.Errorf("%d pieces are left, want 0", left)
	}
	WhileIdle(func() bool { t.Error("work was done that other work had replaced"); return false })
	WhileIdle(func() bool { left++; return false })
	Idle()
	if left != 1 {
		t.Errorf("%d pieces of the new work were done, want 1", left)
	}
}
