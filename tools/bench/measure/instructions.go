package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Loop is the inner loop of a kernel in assembly.
type Loop struct {
	Kernel       string // without the instruction set
	Set          string // NEON, AVX2 or AVX512
	Instructions int
	MultiplyAdds int // instructions that multiply vectors and add
}

// vectorNumbers are the numbers in a register of each set.
var vectorNumbers = map[string]int{"NEON": 4, "AVX2": 8, "AVX512": 16}

// Patterns of the generated assembly.
var (
	kernelLine   = regexp.MustCompile(`^TEXT ·([a-zA-Z]+\d?)(NEON|AVX2|AVX512)\(`)
	jumpLine     = regexp.MustCompile(`^(?:CBNZ|BNE|JNZ)\s+(?:R\d+, )?(channel_four|pixel_four|vector)$`)
	multiplyLine = regexp.MustCompile(`^(?:VFN?MADD\d+PS|VFML[AS]|WORD .* fmla) `)
)

// ReadLoops counts the inner loops of the convolutions, of the kernels' gradients and of Winograd's
// transforms in the assembly of a directory.
func ReadLoops(directory string) ([]Loop, error) {
	var loops []Loop
	for _, name := range []string{"micro_arm64.s", "micro_amd64.s", "winograd_arm64.s", "winograd_amd64.s"} {
		text, err := os.ReadFile(filepath.Join(directory, name))
		if err != nil {
			return nil, fmt.Errorf("bench: %w: name the directory of the kernels' assembly", err)
		}
		found := countLoops(string(text))
		if len(found) == 0 {
			return nil, fmt.Errorf("bench: %s has none of the loops that are counted: go generate ./internal/purego/kernel writes it", name)
		}
		loops = append(loops, found...)
	}
	return loops, nil
}

// countLoops counts the instructions between a label and the jump back to it.
func countLoops(assembly string) (loops []Loop) {
	var current Loop
	starts := map[string]Loop{} // what was counted before each label
	for line := range strings.Lines(assembly) {
		line = strings.TrimSpace(line)
		label, isLabel := strings.CutSuffix(line, ":")
		switch match := kernelLine.FindStringSubmatch(line); {
		case match != nil:
			current, starts = Loop{Kernel: match[1], Set: match[2]}, map[string]Loop{}
		case line == "" || strings.HasPrefix(line, "//") || strings.HasPrefix(line, "TEXT"):
		case isLabel:
			starts[label] = current
		default:
			current.Instructions++
			if multiplyLine.MatchString(line) {
				current.MultiplyAdds++
			}
			if jump := jumpLine.FindStringSubmatch(line); jump != nil && current.Kernel != "" {
				start := starts[jump[1]]
				loops = append(loops, Loop{current.Kernel, current.Set, current.Instructions - start.Instructions, current.MultiplyAdds - start.MultiplyAdds})
			}
		}
	}
	return loops
}

// isTransform reports whether the loop is one of Winograd's transforms.
func (l Loop) isTransform() bool { return strings.HasPrefix(l.Kernel, "winograd") }

// InstructionDocument writes the counts as a section of the page of measurements.
func InstructionDocument(loops []Loop) string {
	var products, transforms [][]string
	for _, l := range loops {
		row := []string{l.Kernel, l.Set, fmt.Sprint(l.Instructions), fmt.Sprint(l.MultiplyAdds)}
		if l.isTransform() {
			channels := max(8, vectorNumbers[l.Set])
			transforms = append(transforms, append(row, fmt.Sprint(channels), fmt.Sprintf("%.0f", float64(l.Instructions)/float64(channels))))
			continue
		}
		share := float64(l.MultiplyAdds) / float64(l.Instructions)
		products = append(products, append(row, fmt.Sprintf("%.0f %%", 100*share), fmt.Sprintf("%.2f", share*float64(vectorNumbers[l.Set]))))
	}
	return "\n## Instructions of the kernels in assembly\n" + instructionText +
		table("Inner loops of convolutions and their gradients", "", []string{"kernel", "set", "instructions", "multiply-adds", "share", "products an instruction"}, products) +
		table("Winograd's transforms", "", []string{"kernel", "set", "instructions", "multiply-adds", "channels", "instructions a channel"}, transforms)
}

const instructionText = `
Counted in the committed assembly, since no Arm processor was at hand: NEON's kernels ran in an emulator, which says nothing about time. A loop of n instructions,
m of which multiply vectors and add, takes at least max(n/w, m/p) cycles on a processor that starts w instructions a cycle, p of them multiply-adds. If w is at
least twice p, the multiply-adds decide for each of NEON's inner loops: more than half of their instructions are multiply-adds. Caches, memory and latencies
can only add to that, so it is the least time, not the expected one.
`
