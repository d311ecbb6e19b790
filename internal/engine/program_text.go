//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64) || (windows && amd64))

package engine

import (
	"bytes"
	"errors"
	"flag"
	"strings"

	"k8s.io/klog/v2"
)

// ProgramText returns the StableHLO program that XLA compiles in a call of compile. go-xla has no
// function for it but prints it to its log at level 2.
func ProgramText(compile func() error) (string, error) {
	var log bytes.Buffer
	if err := withLog(&log, compile); err != nil {
		return "", err
	}
	const title = "StableHLO program:\n"
	_, text, found := strings.Cut(log.String(), title)
	end := strings.Index(text, "\n}\n")
	if !found || end < 0 {
		return "", errors.New("engine: XLA compiled no program: this needs an engine with XLA, and a graph that isn't compiled yet")
	}
	return text[:end+len("\n}\n")], nil
}

// withLog lets go-xla write what it does to a buffer in the meantime.
func withLog(log *bytes.Buffer, do func() error) error {
	flags := flag.NewFlagSet("log", flag.ContinueOnError)
	klog.InitFlags(flags)
	defer silenceLog()()
	klog.SetOutput(log)
	if err := flags.Set("v", "2"); err != nil {
		return err
	}
	err := do()
	klog.Flush()
	return errors.Join(err, flags.Set("v", "0"))
}
