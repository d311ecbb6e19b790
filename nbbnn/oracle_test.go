package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var (
	near    = testkit.Near
	numbers = testkit.Flatten
)

func oracle[T any](t testing.TB, keys ...string) T {
	t.Helper()
	return testkit.Oracle[T](t, keys...)
}
