//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"errors"
	"testing"
)

func TestToldIsOneLineWithoutThePath(t *testing.T) {
	for says, want := range map[string]string{
		"while creating plugin /p.so for backend \"xla\": PJRT error (code=9): No visible GPU devices.": "PJRT error (code=9): No visible GPU devices",
		"the plugin\n\tcan't be opened": "the plugin can't be opened",
	} {
		if got := told(errors.New(says)); got != want {
			t.Errorf("told(%q) = %q, want %q", says, got, want)
		}
	}
}
