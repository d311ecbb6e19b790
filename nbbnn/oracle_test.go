package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var (
	near    = testkit.Near
	numbers = testkit.Flatten
)

// refused checks the error of a call with a value, as checkError does.
func refused(t testing.TB, what, want string) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		checkError(t, what, err, want)
	}
}

func oracle[T any](t testing.TB, keys ...string) T {
	t.Helper()
	return testkit.Oracle[T](t, keys...)
}
