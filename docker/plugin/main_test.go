package main

import (
	"strings"
	"testing"
)

func TestBringWantsOneFolder(t *testing.T) {
	for _, arguments := range [][]string{nil, {"/usr/local/lib", "/opt"}} {
		if err := bring(arguments); err == nil || !strings.Contains(err.Error(), "name the folder") {
			t.Errorf("bring(%q) = %v, want an error that asks for the folder", arguments, err)
		}
	}
}
