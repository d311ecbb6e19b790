package main

import (
	"testing"
	"time"
)

func TestParseProfile(t *testing.T) {
	const some = `File: attack
Type: cpu
Duration: 16.83s, Total samples = 16690ms (99.17%)
Active filters:
   focus=sha256
Showing nodes accounting for 10ms, 0.06% of 16690ms total
      flat  flat%   sum%        cum   cum%
      10ms  0.06%  0.06%       10ms  0.06%  crypto/internal/fips140/sha256.blockSHANI
`
	const none = "Showing nodes accounting for 0, 0% of 1400ms total\n"
	for _, c := range []struct {
		text        string
		total, part time.Duration
	}{{some, 16690 * time.Millisecond, 10 * time.Millisecond}, {none, 1400 * time.Millisecond, 0}} {
		if total, part, err := parseProfile(c.text); err != nil || total != c.total || part != c.part {
			t.Errorf("%v of %v (%v), want %v of %v", part, total, err, c.part, c.total)
		}
	}
	if _, _, err := parseProfile("no such file"); err == nil {
		t.Error("a text without times has some")
	}
}
