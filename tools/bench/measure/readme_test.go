package measure

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// README.md says how much faster a training step is than in other programs, as measured.
func TestReadmeComparesAsMeasured(t *testing.T) {
	faster := map[string][]float64{} // by the first word of the program's name
	for _, name := range []string{"amd-epyc-avx2", "amd-epyc-avx512", "intel-xeon-avx512"} {
		for _, c := range recordOf(t, name).Comparisons {
			for _, e := range c.Entries {
				if c.What == "train" {
					program, _, _ := strings.Cut(strings.ReplaceAll(e.Name, ",", " "), " ")
					faster[program] = append(faster[program], 1/e.Ratio.Median)
				}
			}
		}
	}
	torch, xla := faster["PyTorch"], faster["XLA"]
	if len(torch) == 0 || len(xla) == 0 {
		t.Fatalf("no comparisons: %v", faster)
	}
	tenth := func(x float64) float64 { return math.Floor(x*10) / 10 }
	wantInReadme(t, fmt.Sprintf("A training step is %.1f to %.1f times as fast as PyTorch's and at least %.1f times as fast as XLA's on the same two cores",
		tenth(slices.Min(torch)), tenth(slices.Max(torch)), tenth(slices.Min(xla))))
}

// README.md says how much slower the portable kernels are than those in assembly, on the networks
// of the table in docs/decisions.md and of docs/performance.md.
func TestReadmeComparesPortableKernels(t *testing.T) {
	decisions, err := os.ReadFile("../../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	var avx2, avx512 []float64
	row := regexp.MustCompile(`(?m)^\| [^|]+, \d+ \| [0-9.]+ \| ([0-9.]+) \| ([0-9.]+) \| ([0-9.]+) \| \d+ \|$`)
	for _, match := range row.FindAllStringSubmatch(string(decisions), -1) {
		var seconds [3]float64
		for i := range seconds {
			if seconds[i], err = strconv.ParseFloat(match[i+1], 64); err != nil {
				t.Fatal(err)
			}
		}
		avx2, avx512 = append(avx2, seconds[0]/seconds[1]), append(avx512, seconds[0]/seconds[2])
	}
	if len(avx2) == 0 {
		t.Fatal("docs/decisions.md has no table of portable kernels")
	}
	assembly := map[Workload]float64{}
	for _, c := range recordOf(t, "intel-xeon-avx512").Comparisons {
		if c.What == "train" {
			assembly[c.Workload] = c.Entries[0].Seconds.Median
		}
	}
	for _, c := range recordOf(t, "intel-xeon-portable").Comparisons {
		if seconds := assembly[c.Workload]; c.What == "train" && seconds > 0 {
			avx512 = append(avx512, c.Entries[0].Seconds.Median/seconds)
		}
	}
	wantInReadme(t, fmt.Sprintf("a training step takes %.1f to %.1f times as long as with AVX2 and %.1f to %.1f times as long as with AVX-512",
		slices.Min(avx2), slices.Max(avx2), slices.Min(avx512), slices.Max(avx512)))
}

func recordOf(t *testing.T, name string) Record {
	t.Helper()
	record, err := ReadRecord(filepath.Join("../../../docs/performance", "processor-"+name+".json"))
	if err != nil || len(record.Comparisons) == 0 {
		t.Fatalf("%s: %d comparisons (%v)", name, len(record.Comparisons), err)
	}
	return record
}

// wantInReadme checks that a sentence is in README.md, wherever its lines break.
func wantInReadme(t *testing.T, sentence string) {
	t.Helper()
	readme, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(string(readme)), " "), sentence) {
		t.Errorf("README.md doesn't say %q", sentence)
	}
}
