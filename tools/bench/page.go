// Command performance writes docs/performance.md from the measurements in docs/performance:
//
//	go run ./internal/bench/cmd/performance docs/performance.md docs/performance/corruptions.json docs/performance/processor-*.json
package main

import (
	"fmt"
	"os"

	"github.com/nbbnn/workbench/internal/atomicfile"
	"github.com/nbbnn/workbench/internal/bench"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error    "+err.Error())
		os.Exit(1)
	}
}

func run(arguments []string) error {
	if len(arguments) < 3 {
		return fmt.Errorf("performance: %d arguments: give the page to write, the speeds of the corruptions and the measurements of processors", len(arguments))
	}
	speeds, err := bench.ReadCorruptionSpeeds(arguments[1])
	if err != nil {
		return err
	}
	var records []bench.Record
	for _, path := range arguments[2:] {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("performance: %w: give files that nbbnn bench --out has written", err)
		}
		record, err := bench.ReadRecord(path)
		if err != nil {
			return err
		}
		records = append(records, record)
	}
	return atomicfile.WriteBytes(arguments[0], []byte(bench.Document(records)+speeds.Document()))
}
