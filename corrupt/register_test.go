package corrupt

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// registerForTest registers a corruption and removes it after the test.
func registerForTest(t *testing.T, corruption Corruption) {
	t.Helper()
	testkit.NoError(t, Register(corruption))
	t.Cleanup(func() { unregister(corruption.Name) })
}

func unregister(name string) {
	registry.Lock()
	defer registry.Unlock()
	registry.corruptions = slices.DeleteFunc(registry.corruptions, func(e entry) bool {
		return e.name == name
	})
	suites = slices.DeleteFunc(suites, func(s Suite) bool { return s.Name == name })
}

// shiftUp adds a random number times the strength to all values.
var shiftUp = Corruption{
	Name: "shift_up", Version: "1", Severities: [5]float64{.1, .2, .3, .4, .5},
	Draw: func(rng *rand.Rand, _ Image, strength float64) []float64 {
		return []float64{rng.Float64() * strength}
	},
	Apply: func(_ Image, _ float64, draws, out []float64) {
		for i := range out {
			out[i] += draws[0]
		}
	},
}

func TestRegisteredCorruptionIsLikeTheOthers(t *testing.T) {
	registerForTest(t, shiftUp)
	size := Size{5, 7}
	pixels := slices.Concat(photograph(size, 1), photograph(size, 2), photograph(size, 3))
	config := Config{Corruption: "shift_up", Severity: 3, Seed: 4}
	onCores(t, 3)
	all := testkit.Must(Apply(t.Context(), config, size, pixels))(t)
	config.First = 2
	onCores(t, 1)
	last, err := Apply(t.Context(), config, size, pixels[2*size.Values():])
	if err != nil || !slices.Equal(last, all[2*size.Values():]) {
		t.Errorf("image 2 alone differs from image 2 of three (%v)", err)
	}
	added := int(last[0]) - int(pixels[2*size.Values()])
	if added < 0 || added > 76 {
		t.Errorf("the first value grows by %d, want at most .3 x 255", added)
	}
	config.Severity = 5
	if other, err := Apply(t.Context(), config, size, pixels[2*size.Values():]); err != nil ||
		slices.Equal(other, last) {
		t.Errorf("severity 5 equals severity 3 (%v)", err)
	}
}

func TestStrengthsByTable(t *testing.T) {
	corruption := shiftUp
	corruption.ByTable = map[Table][5]float64{ImageNet: {0, 0, 0, 0, .001}}
	registerForTest(t, corruption)
	size := Size{3, 3}
	pixels := photograph(size, 1)
	out, err := Apply(t.Context(), Config{Corruption: "shift_up", Severity: 1, Table: ImageNet},
		size, pixels)
	if err != nil || !bytes.Equal(out, pixels) {
		t.Errorf("strength 0 changes the image (%v)", err)
	}
	out, err = Apply(t.Context(), Config{Corruption: "shift_up", Severity: 1, Table: Tiny}, size,
		pixels)
	if err != nil || bytes.Equal(out, pixels) {
		t.Errorf("the table without strengths of its own doesn't use Severities (%v)", err)
	}
}

func TestRegisterRefuses(t *testing.T) {
	registerForTest(t, shiftUp)
	nothing := func(Image, float64, []float64, []float64) {}
	ones := [5]float64{1, 1, 1, 1, 1}
	tests := []struct {
		corruption Corruption
		want       string
	}{
		{Corruption{Version: "1", Severities: ones, Apply: nothing}, "the name is empty"},
		{Corruption{Name: "Red", Version: "1", Severities: ones, Apply: nothing},
			`name "Red": want lower-case`},
		{Corruption{Name: "../x", Version: "1", Severities: ones, Apply: nothing},
			`name "../x": want lower-case`},
		{Corruption{Name: "clean", Version: "1", Severities: ones, Apply: nothing},
			"has a special meaning"},
		{Corruption{Name: "fog", Version: "1", Severities: ones, Apply: nothing}, `"fog" is taken`},
		{Corruption{Name: "all19", Version: "1", Severities: ones, Apply: nothing},
			`"all19" is taken`},
		{shiftUp, `"shift_up" is taken`},
		{Corruption{Name: "red", Version: " ", Severities: ones, Apply: nothing}, "has no version"},
		{Corruption{Name: "red", Version: "1", Severities: ones}, "has no Apply"},
		{Corruption{Name: "red", Version: "1", Apply: nothing}, "has severities [0 0 0 0 0]"},
		{Corruption{Name: "red", Version: "1", Severities: [5]float64{1, 2, math.NaN()},
			Apply: nothing}, "want five finite strengths"},
		{Corruption{Name: "red", Version: "1", Severities: ones, Apply: nothing,
			ByTable: map[Table][5]float64{7: ones}}, "has ByTable[table 7] = [1 1 1 1 1]"},
	}
	for _, test := range tests {
		checkError(t, Register(test.corruption), test.want)
	}
	if strings.Contains(strings.Join(Names()[benchmark:], " "), "red") {
		t.Errorf("registered are %v, want none of the refused", Names()[benchmark:])
	}
}

func checkError(t *testing.T, err error, want string) {
	t.Helper()
	testkit.Error(t, "corrupt", err, want)
}

func TestFaultsOfRegisteredFunctions(t *testing.T) {
	var calls atomic.Int64
	tests := []struct {
		name  string
		draw  func(*rand.Rand, Image, float64) []float64
		apply func(image Image, strength float64, draws, out []float64)
		want  string
	}{
		{"panics", nil, func(Image, float64, []float64, []float64) {
			panic("first line\nsecond line")
		},
			"corrupt: faulty, image 5, severity 2: Apply panics (first line second line)"},
		{"panics in Draw", func(*rand.Rand, Image, float64) []float64 {
			panic("no")
		}, func(Image, float64, []float64, []float64) {},
			"image 5, severity 2: Draw panics (no)"},
		{"writes outside", nil, func(_ Image, _ float64, _, out []float64) {
			out[len(out)] = 1
		}, "index out of range [27] with length 27"},
		{"needs more draws", nil, func(_ Image, _ float64, draws, out []float64) {
			out[0] = draws[0]
		}, "check its indexes and the number of its draws"},
		{"writes to its input", nil, func(image Image, _ float64, _, _ []float64) {
			image.Values[4] = 1.5
		}, "Apply changes its input image"},
		{"Draw writes to its input", func(_ *rand.Rand, image Image, _ float64) []float64 {
			image.Values[4] = 1.5
			return nil
		},
			func(Image, float64, []float64, []float64) {}, "Draw changes its input image"},
		{"NaN", nil, func(_ Image, _ float64, _, out []float64) {
			out[3*4+1] = math.NaN()
		}, "Apply writes NaN at row 1, column 1, channel 1"},
		{"infinite", nil, func(_ Image, _ float64, _, out []float64) {
			out[26] = math.Inf(-1)
		}, "Apply writes -Inf at row 2, column 2, channel 2"},
		{"random", nil, func(_ Image, _ float64, _, out []float64) {
			out[0] = 1 / float64(calls.Add(1))
		}, "Apply gives two results for the same draws"},
	}
	size := Size{3, 3}
	pixels := make([]uint8, 3*size.Values())
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			registerForTest(t, Corruption{Name: "faulty", Version: "1", Severities: [5]float64{1, 1,
				1, 1, 1}, Draw: test.draw, Apply: test.apply})
			_, err := Apply(t.Context(), Config{Corruption: "faulty", Severity: 2, First: 5}, size,
				pixels)
			checkError(t, err, test.want)
			checkError(t, err, "corrupt: faulty, image 5, severity 2: ")
		})
	}
}

// A value out of range is clipped, and an append can't reach beyond the output.
func TestOutputIsClippedAndBounded(t *testing.T) {
	registerForTest(t, Corruption{
		Name: "bright", Version: "1", Severities: [5]float64{1, 2, 3, 4, 5},
		Apply: func(_ Image, strength float64, _, out []float64) {
			_ = append(out, -1)
			out[0], out[1] = strength, -strength
		},
	})
	out, err := Apply(t.Context(), Config{Corruption: "bright", Severity: 5}, Size{1, 1},
		[]uint8{10, 20, 30})
	if err != nil || !bytes.Equal(out, []uint8{255, 0, 30}) {
		t.Errorf("got %v, %v, want [255 0 30]", out, err)
	}
}

func TestFingerprint(t *testing.T) {
	if got, err := Fingerprint("fog"); got != "" || err != nil {
		t.Errorf("fog has fingerprint %q, %v, want none", got, err)
	}
	_, err := Fingerprint("fogg")
	checkError(t, err, `did you mean "fog"?`)
	changed := []Corruption{shiftUp, shiftUp, shiftUp, shiftUp}
	changed[1].Version = "2"
	changed[2].Severities[4] = .6
	changed[3].ByTable = map[Table][5]float64{Tiny: {1, 1, 1, 1, 1}}
	seen := map[string]bool{}
	for _, corruption := range changed {
		seen[corruption.fingerprint()] = true
	}
	if len(seen) != len(changed) {
		t.Errorf("got fingerprints %v, want %d different ones", seen, len(changed))
	}
}

func TestFingerprintOfSuite(t *testing.T) {
	common := Suite{"common", Names()[:benchmark]}
	if got := common.Fingerprint(); got != "" {
		t.Errorf("the nineteen have fingerprint %q, want none", got)
	}
	seen := map[string]bool{}
	for _, version := range []string{"1", "2"} {
		corruption := shiftUp
		corruption.Version = version
		testkit.NoError(t, Register(corruption))
		seen[Suite{"one", []string{"fog", "shift_up"}}.Fingerprint()] = true
		unregister("shift_up")
	}
	if len(seen) != 2 || seen[""] {
		t.Errorf("two versions give the fingerprints %v, want two", seen)
	}
}

func TestRegisterSuite(t *testing.T) {
	registerForTest(t, shiftUp)
	t.Cleanup(func() { unregister("mine") })
	testkit.NoError(t, RegisterSuite(Suite{"mine", []string{"shift_up", "fog"}}))
	suite, err := SuiteByName("mine")
	if err != nil || !slices.Equal(suite.Corruptions, []string{"shift_up", "fog"}) ||
		!slices.Contains(SuiteNames(), "mine") {
		t.Errorf("got %v, %v, want the registered suite", suite, err)
	}
	tests := []struct {
		suite Suite
		want  string
	}{
		{Suite{"mine", []string{"fog"}}, `"mine" is taken`},
		{Suite{"fog", []string{"fog"}}, `"fog" is taken`},
		{Suite{"a b", []string{"fog"}}, `name "a b"`},
		{Suite{"none", nil}, `has no corruptions: give at least one (in suite "none")`},
		{Suite{"twice", []string{"fog", "snow", "fog"}},
			`lists fog twice: list it once (in suite "twice")`},
		{Suite{"wrong", []string{"shift_upp"}}, `did you mean "shift_up"?`},
	}
	for _, test := range tests {
		checkError(t, RegisterSuite(test.suite), test.want)
	}
}

func TestSuiteFromList(t *testing.T) {
	for text, want := range map[string][]string{"fog": {"fog"}, "snow,fog": {"snow", "fog"}} {
		if suite, err := SuiteByName(text); err != nil || suite.Name != text ||
			!slices.Equal(suite.Corruptions, want) {
			t.Errorf("%s: got %v, %v, want %v", text, suite, err, want)
		}
	}
	for text, want := range map[string]string{"fog,snwo": `did you mean "snow"?`,
		"fog,fog":       "lists fog twice",
		"red_fades":     "; one of your own is in your program",
		"fog,red_fades": "; one of your own is in your program",
		"riple":         `unknown suite or corruption "riple" (did you mean "ripple"?)`,
		"fog,":          `unknown corruption ""`} {
		_, err := SuiteByName(text)
		checkError(t, err, want)
	}
}
