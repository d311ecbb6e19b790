package nbbnn

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/network"
)

var near = testkit.Near

var inReference = ExportOptions{Layout: network.ReferenceLayout}

// checkError checks that an error is one line, says whose it is and holds the wanted text.
func checkError(t testing.TB, what string, err error, want string) {
	t.Helper()
	testkit.ErrorOf(t, what, err, want, "nbbnn", "network", "baseline", "score", "cellstore",
		"dataset", "corrupted", "corrupt", "implicit")
}

// equal compares two values.
func equal[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: got %+v, want %+v", what, got, want)
	}
}

// refused checks the error of a call with a value, as checkError does.
func refused(t testing.TB, what, want string) func(any, error) {
	t.Helper()
	return func(_ any, err error) {
		t.Helper()
		checkError(t, what, err, want)
	}
}
