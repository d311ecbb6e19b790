package main

import (
	"strings"
	"testing"
)

func TestPluginIsRefused(t *testing.T) {
	for _, test := range []struct {
		arguments []string
		platform  string
		want      string
	}{
		{nil, "darwin_arm64", "give only the folder"},
		{[]string{"a", "b"}, "darwin_arm64", "give only the folder"},
		{[]string{"a"}, "darwin_amd64", "no plugin for darwin_amd64, only for linux_amd64, " +
			"linux_arm64, darwin_arm64"},
		{[]string{"a"}, "linux_riscv64", "no plugin for linux_riscv64"},
	} {
		if err := run(test.arguments, test.platform); err == nil ||
			!strings.Contains(err.Error(), test.want) {
			t.Errorf("%v on %s: %v, want %q", test.arguments, test.platform, err, test.want)
		}
	}
}
