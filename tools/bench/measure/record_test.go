package measure

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/machine"
)

func comparison(network string, seconds float64) Comparison {
	ours := Entry{Name: "nbbnn", Engine: "go", Seconds: Spread{Median: seconds}, PeakMemory: 200e6, StartMemory: 50e6, PeakGFLOPS: 100, Operations: 5e9}
	theirs := Entry{Name: "PyTorch", Engine: "PyTorch 2", Seconds: Spread{Median: 2 * seconds}, Ratio: Spread{0.5, 0.4, 0.6, 0.4, 0.6, 3}, PeakMemory: 400e6, StartMemory: 100e6}
	return Comparison{What: "train", Workload: Workload{Network: network, Width: 24, Images: 32, Samples: 4, Mode: "out"}, Steps: 3, Rounds: 3, Entries: []Entry{ours, theirs}}
}

func TestUpdateReplacesTheSameWork(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.json")
	for _, c := range []Comparison{comparison("allcnnc", 0.1), comparison("vgg16", 0.2), comparison("allcnnc", 0.3)} {
		if err := Update(path, func(r *Record) { r.PutComparison(c) }); err != nil {
			t.Fatal(err)
		}
	}
	half := comparison("vgg16", 0.1)
	half.Precision = "bfloat16"
	if err := Update(path, func(r *Record) { r.PutComparison(half) }); err != nil {
		t.Fatal(err)
	}
	record, err := ReadRecord(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(record.Comparisons) != 3 || record.Comparisons[0].Entries[0].Seconds.Median != 0.3 {
		t.Errorf("the record has %d comparisons, the first of %g s; want 3, bfloat16 beside float32, and 0.3", len(record.Comparisons), record.Comparisons[0].Entries[0].Seconds.Median)
	}
	if data, err := os.ReadFile(path); err != nil || strings.Count(string(data), "\n") != len(record.Comparisons)+5 {
		t.Errorf("error %v; the file has %d lines, want a line for each measurement", err, strings.Count(string(data), "\n"))
	}
	if record.Machine != machine.Describe() {
		t.Errorf("the record is of %+v, want this machine", record.Machine)
	}
}

func TestRecordOfAnotherMachineIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "record.json")
	if err := os.WriteFile(path, []byte(`{"machine": {"model": "Abacus", "cores": 7}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	err := Update(path, func(*Record) {})
	if err == nil || !strings.Contains(err.Error(), "is of Abacus with 7 cores") {
		t.Errorf("error %v, want one that names the other machine", err)
	}
	if err := os.WriteFile(path, []byte(`{"machine": {}, "speed": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadRecord(path); err == nil || !strings.Contains(err.Error(), "is no record of measurements") {
		t.Errorf("error %v, want one about the unknown field", err)
	}
}

func TestDocumentHoldsEveryMeasurement(t *testing.T) {
	record := Record{Machine: machine.Machine{Model: "Abacus", Instructions: "beads", Cores: 2, Memory: 8e9}}
	record.PutComparison(comparison("resnet18", 0.1))
	setting := comparison("allcnnc", 0.1)
	setting.Entries[1].Name = "1 core"
	record.PutSetting(setting)
	older := comparison("vgg16", 0.1)
	older.Entries[1].Name = OlderKernels
	record.PutSetting(older)
	copies := comparison("resnet18", 0.1)
	copies.Entries[1].Name = Copies
	record.PutSetting(copies)
	record.PutScaling(Scaling{Variable: "samples", Network: "allcnnc", Width: 24, Values: []float64{1, 2}, Seconds: []float64{0.1, 0.2}, Exponent: 1})
	record.PutEstimate(Estimate{Workload: Workload{Network: "vgg16", Width: 16, Images: 64, Samples: 4}, Seconds: 1.1, MeasuredSeconds: 1, Memory: 9e8, MeasuredMemory: 1e9})
	record.Corruption = &Corruption{Side: 32, Severity: 3, Rates: []CorruptionRate{{"fog", 500}, {"frost", 500}}}
	record.Start = &Start{VersionSeconds: 0.01}
	record.PutProfile(Profile{What: "train", Workload: setting.Workload, Cores: 2, Operations: []Operation{{Name: "dot", Shape: "3x3", Count: 4,
		One: OperationTime{Wall: 0.03}, All: OperationTime{Wall: 0.02, Parallel: 0.01, CoreTime: 0.02}}}})
	page := Document([]Record{record})
	for _, want := range []string{
		"## Abacus, 2 cores, beads, 8.0 GB",
		"| resnet18 | 24 | 100 ms | 50 | 0.50 | 200 ms | **0.50** (0.40 to 0.60) |",
		"| train | resnet18 | 24 | 200 MB | 400 MB | 0.50 | 150 MB | 300 MB | 0.50 |",
		"| allcnnc | 24 | 100 ms | 1 core | 200 ms | **2.00** (1.67 to 2.50) |",
		"| vgg16 | 24 | 100 ms | AVX2 kernels | 200 ms | **2.00** (1.67 to 2.50) |", "`NBBNN_KERNELS=avx2` chooses",
		"| resnet18 | 24 | 100 ms | 1 core, a copy on each | 200 ms | **2.00** (1.67 to 2.50) |", "is lost by the machine",
		"| train allcnnc 24 | **all** |  | 4 | 30.0 ms | 20.0 ms | **1.50** | 5.0 | 5.0 | 0.0 | 0.0 |\n|  | dot | 3x3 | 4 |",
		"| allcnnc:24 | samples | 2 | 200 ms | **1.00** |",
		"| vgg16 | 16 | 64 x 4 | 1.10 s | 1.00 s | 1.10 | 900 MB | 1.0 GB | 0.90 |",
		"| each of them once | 250 |",
		"| start of the program | 10.0 ms |",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(page, "### Evaluation") {
		t.Error("the page has a table of evaluations without rows")
	}
	record.Comparisons[0].Entries[0].Engine = "go (portable kernels)"
	if title := "## Abacus, 2 cores, beads, 8.0 GB: kernels in plain Go\n"; !strings.Contains(Document([]Record{record}), title) {
		t.Errorf("with portable kernels the page lacks the title %q", title)
	}
}

// The page says what the default of DAMP costs, with the numbers of its table, if one sub-batch was
// measured, too.
func TestDocumentSaysWhatSubBatchesCost(t *testing.T) {
	record := Record{Machine: machine.Machine{Model: "Abacus", Cores: 2, Memory: 8e9}}
	methods := comparison("resnet18", 0.1)
	damp := func(end string, ratio float64) Entry {
		e := methods.Entries[1]
		e.Name, e.Ratio.Median = "DAMP, "+end, ratio
		return e
	}
	methods.Entries = []Entry{methods.Entries[0], damp(DefaultSubBatches, 0.25)}
	record.PutMethods(methods)
	if page := Document([]Record{record}); strings.Contains(page, "a step of DAMP") {
		t.Errorf("the page compares with one sub-batch, which wasn't measured:\n%s", page)
	}
	methods.Entries = append(methods.Entries, damp(OneSubBatch, 0.8))
	record.PutMethods(methods)
	const want = "On resnet18 of width 24 a step of DAMP with the default, 8 sub-batches, takes 4.00 steps of SGD, and with `--damp-sub-batches 1` 1.25."
	if page := Document([]Record{record}); !strings.Contains(page, want) {
		t.Errorf("the page lacks %q:\n%s", want, page)
	}
}
