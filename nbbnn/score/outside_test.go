package score

import (
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// outsideTest is a test with two detections, of given areas.
func outsideTest(data string, areas ...float64) Outside {
	o := Outside{Key: Key{"clean", 4, 0, 1<<64 - 1}, Data: data, Hash: "ab12", Inside: 30,
		Images: 20}
	for i, area := range areas {
		o.Detections = append(o.Detections,
			Detection{[]string{MaxProbability, Entropy, MutualInformation}[i], area,
				(1 - area) / 3})
	}
	return o
}

func TestOutsideRoundTrip(t *testing.T) {
	directory := t.TempDir()
	if tests, err := ReadOutside(directory, testOwner); err != nil || tests != nil {
		t.Fatalf("%v, error %v, want no tests", tests, err)
	}
	first, second := outsideTest("cifar100", 2./3, 0.75, 0.5), outsideTest("mine, too", 0.9)
	again := outsideTest("cifar100", 0.7, 0.8, 0.6)
	for _, test := range []Outside{first, second, again} {
		testkit.NoError(t, AddOutside(directory, testOwner, test))
	}
	tests, err := ReadOutside(directory, testOwner)
	if want := []Outside{second, again}; err != nil || !reflect.DeepEqual(tests, want) {
		t.Errorf("tests are %+v (%v), want %+v", tests, err, want)
	}
	path := filepath.Join(directory, "outside.csv")
	rewrite(t, path, func(text string) string { return strings.Replace(text, ",30,", ",many,", 1) })
	_, err = ReadOutside(directory, testOwner)
	checkError(t, "damaged", err, "outside.csv is damaged")
}

type runSettings struct {
	Gamma int `json:"gamma"`
}

func TestCompareOutside(t *testing.T) {
	runs := []Run{
		{Name: "a", Settings: runSettings{Gamma: 1}, Seed: 2},
		{Name: "b", Settings: runSettings{Gamma: 1}, Seed: 1},
		{Name: "c", Settings: runSettings{Gamma: 2}, Seed: 1},
	}
	tests := []Outside{outsideTest("other", 0.6, 0.7, 0.8), outsideTest("other", 0.8, 0.9, 0.9),
		outsideTest("other", 0.5, 0.5)}
	compared, err := CompareOutside(runs, tests)
	methods := compared.Methods
	if err != nil || len(methods) != 2 || methods[0].Name != "gamma 1" ||
		len(methods[0].Detections) != 3 || len(methods[1].Detections) != 2 {
		t.Fatalf("methods are %+v (%v), want gamma 1 with three detections and gamma 2 with two",
			methods, err)
	}
	if ordered := (Comparison{
		Methods: []Method{methods[1], methods[0]}}).Ordered(); !reflect.DeepEqual(ordered.Methods,
		methods) {
		t.Errorf("ordered, the methods are %+v, want gamma 1 first", ordered)
	}
	got := methods[0].Detections[0]
	testkit.Near(t, "mean AUROC", got.AUROC.Mean, 0.7, 1e-15)
	testkit.Near(t, "its standard deviation", got.AUROC.Std, 0.1414213562373095, 1e-12)
	testkit.Near(t, "mean FPR95", got.FPR95.Mean, 0.1, 1e-15)

	_, err = CompareOutside(runs, tests[:2])
	checkError(t, "a test too few", err, "3 runs and 2 tests")
	tests[1].Samples = 8
	_, err = CompareOutside(runs, tests)
	checkError(t, "other samples in a method", err, "run a was tested with 4 samples, run b of "+
		"its method with 8")
	tests[1].Samples, tests[2].Samples = 4, 8
	if _, err = CompareOutside(runs, tests); err != nil {
		t.Errorf("other samples in another method: %v", err)
	}
	tests[1].Seed--
	_, err = CompareOutside(runs, tests)
	checkError(t, "another seed", err, "test them alike")
	tests[1].Seed, tests[2].Suite = tests[0].Seed, "clean ones"
	_, err = CompareOutside(runs, tests)
	checkError(t, "other latents", err, `as "clean ones"`)
	tests[2].Suite = tests[0].Suite
	tests[1].Hash = "cd34"
	_, err = CompareOutside(runs, tests)
	checkError(t, "other images", err, "test them on the same images")
	tests[1].Hash, runs[1].Seed = tests[0].Hash, 2
	_, err = CompareOutside(runs, tests)
	checkError(t, "a seed twice", err, "give each run once")
}
