package kernel

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// setNames are the names of the sets that can run, the fastest first.
func setNames() (names []string) {
	for _, s := range Available() {
		names = append(names, s.Name)
	}
	return names
}

// The tests run each set that a processor can run: one that they don't name is never tested.
func TestEachSetThatCanRunIsTested(t *testing.T) {
	var sets, withPasses []string
	passesOf := map[*memoryPasses]bool{}
	eachSet(t, func(_ *testing.T, s *InstructionSet) { sets = append(sets, s.Name) })
	eachPasses(t, func(t *testing.T) {
		withPasses, passesOf[passes] = append(withPasses, t.Name()), true
	})
	for _, s := range Available() {
		if !slices.Contains(sets, s.Name) || !passesOf[s.passes] {
			t.Errorf("%s can run here, but the tests run the sets %q and the passes of %q", s.Name,
				sets, withPasses)
		}
	}
}

// printsSets makes a process of this test's program print its sets.
const printsSets = "NBBNN_TEST_PRINTS_SETS"

// A processor, or a system, that lacks a feature gets the sets without it, and these compute:
// GODEBUG takes the features away.
func TestSetsOfAProcessorWithoutAFeature(t *testing.T) {
	if os.Getenv(printsSets) != "" {
		fmt.Println("sets:", strings.Join(setNames(), " "))
		return
	}
	if runtime.GOARCH != "amd64" {
		t.Skip("GODEBUG takes these features away on amd64 only")
	}
	all := setNames()
	for debug, never := range map[string][]string{
		"":                             nil,
		"cpu.avx512f=off":              {"AVX-512"},
		"cpu.avx2=off":                 {"AVX-512", "AVX2"},
		"cpu.fma=off":                  {"AVX-512", "AVX2"},
		"cpu.avx512f=off,cpu.avx2=off": {"AVX-512", "AVX2"},
	} {
		var want []string
		for _, name := range all {
			if !slices.Contains(never, name) {
				want = append(want, name)
			}
		}
		got := strings.Fields(runWithout(t, debug))
		if !slices.Equal(got, want) {
			t.Errorf("with GODEBUG=%s the sets are %q, want %q", debug, got, want)
		}
	}
}

// runWithout runs this test's program, and a comparison of all its sets on some shapes, under
// GODEBUG, and returns the names of the sets.
func runWithout(t *testing.T, debug string) string {
	t.Helper()
	const tests = "^(TestSetsOfAProcessorWithoutAFeature|TestAllSetsAgree)$"
	command := exec.CommandContext(t.Context(), os.Args[0], "-test.run="+tests, "-shapes=5",
		"-test.v")
	command.Env = append(os.Environ(), printsSets+"=1", "GODEBUG="+os.Getenv("GODEBUG")+","+debug)
	said, err := command.CombinedOutput()
	found := regexp.MustCompile(`(?m)^sets: (.*)$`).FindSubmatch(said)
	if err != nil || found == nil {
		t.Fatalf("with GODEBUG=%s: %v: %s", debug, err, said)
	}
	return string(found[1])
}

// Linux lists a feature if it also saves its registers, which CPUID alone doesn't tell: a system
// that doesn't save those of AVX-512 must not get its kernels.
func TestSetsAreThoseThatLinuxSaves(t *testing.T) {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" {
		t.Skip("this isn't Linux on amd64")
	}
	line := regexp.MustCompile(`(?m)^flags\s*:(.*)$`).FindSubmatch(text)
	if line == nil {
		t.Fatal("/proc/cpuinfo has no flags")
	}
	flags := strings.Fields(string(line[1]))
	has := func(feature string) bool { return slices.Contains(flags, feature) }
	want := []string{Portable}
	if has("avx2") && has("fma") {
		want = slices.Insert(want, 0, "AVX2")
		if has("avx512f") {
			want = slices.Insert(want, 0, "AVX-512")
		}
	}
	if got := setNames(); !slices.Equal(got, want) {
		t.Errorf("the sets are %q, Linux lists the features of %q", got, want)
	}
}
