package check

import (
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestColour(t *testing.T) {
	testkit.NoError(t, Colour("#FFff00"))
	for _, wrong := range []string{"", "red", "#12345", "#1234567", "0067a8", "#00gg00"} {
		testkit.Error(t, "is no colour", Colour(wrong), "is no colour")
	}
}
