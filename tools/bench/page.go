package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/tools/bench/measure"
)

// pageCommand writes docs/performance.md from the measurements in docs/performance.
func pageCommand() *cobra.Command {
	var assembly string
	command := &cobra.Command{
		Use:     "page PAGE CORRUPTIONS RECORD...",
		Short:   "Write the page of measurements, docs/performance.md",
		Example: "  bench page docs/performance.md docs/performance/corruptions.json docs/performance/processor-*.json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 3 {
				return commandline.Usage(fmt.Errorf("bench page: %d arguments given: give the page to write, the speeds of the corruptions and the measurements of processors", len(args)))
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return writePage(args[0], args[1], args[2:], assembly) },
	}
	command.Flags().StringVar(&assembly, "assembly", "internal/purego/kernel", "`directory` of the kernels' assembly, whose instructions are counted")
	return command
}

func writePage(page, corruptions string, paths []string, assembly string) error {
	speeds, err := measure.ReadCorruptionSpeeds(corruptions)
	if err != nil {
		return err
	}
	loops, err := measure.ReadLoops(assembly)
	if err != nil {
		return err
	}
	var records []measure.Record
	for _, path := range paths {
		if _, err := os.Stat(path); err != nil {
			return fmt.Errorf("bench page: %w: give files that bench --out has written", err)
		}
		record, err := measure.ReadRecord(path)
		if err != nil {
			return err
		}
		records = append(records, record)
	}
	return files.WriteBytes(page, []byte(measure.Document(records)+measure.InstructionDocument(loops)+speeds.Document()))
}
