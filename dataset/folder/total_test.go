package folder

import (
	"strings"
	"testing"
)

func TestTotalSize(t *testing.T) {
	if err := checkTotal(10_000, 512, 512); err != nil {
		t.Errorf("7.9 GB are refused: %v", err)
	}
	err := checkTotal(11_000, 512, 512)
	if err == nil || !strings.Contains(err.Error(), "11000 images of 512x512 pixels take 8.7 GB, "+
		"at most 8.6") {
		t.Errorf("error is %v, want one about 8.7 GB", err)
	}
}
