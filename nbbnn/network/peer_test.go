package network

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// PyTorch predicts as many rows at a time as we do: time and memory are compared for the same work.
func TestPeerPredictsAsManyRows(t *testing.T) {
	script, err := os.ReadFile("../../tools/bench/pytorch/evaluate.py")
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf(`ROWS = {"cpu": %d, "cuda": %d}`, predictionRows, deviceRows); !strings.Contains(string(script), want) {
		t.Errorf("tools/bench/pytorch/evaluate.py has other numbers of rows, want %s", want)
	}
}
