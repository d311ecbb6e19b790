package parallel

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
)

// The error is that of the least index, and what comes long after it isn't begun.
func TestEach(t *testing.T) {
	const count = 100_000
	var done [count]atomic.Bool
	err := Each(count, func(i int) error {
		done[i].Store(true)
		if i%40 == 7 {
			return fmt.Errorf("index %d", i)
		}
		return nil
	})
	if err == nil || err.Error() != "index 7" || !done[0].Load() || done[count-1].Load() {
		t.Errorf("error %v, want that of index 7, and the last index not begun", err)
	}
	if err := Each(0, nil); err != nil {
		t.Error(err)
	}
}

// Results come in order at any number, and only a few are made before an error ends the work.
func TestInOrder(t *testing.T) {
	for _, count := range []int{0, 1, 3, 1000} {
		var got []int
		err := InOrder(count, func(i int) int { return i * i }, func(i, square int) error {
			if square != i*i {
				t.Errorf("the result of %d is %d", i, square)
			}
			got = append(got, i)
			return nil
		})
		if err != nil || len(got) != count || !slices.IsSorted(got) {
			t.Errorf("%d: %d results (%v)", count, len(got), err)
		}
	}
	full := errors.New("full")
	var made atomic.Int64
	err := InOrder(1_000_000, func(i int) int { return int(made.Add(1)) }, func(i, _ int) error {
		if i == 10 {
			return full
		}
		return nil
	})
	if err != full || made.Load() > 100_000 {
		t.Errorf("error %v after %d results, want %v after a few", err, made.Load(), full)
	}
}

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
