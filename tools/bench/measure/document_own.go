package measure

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// memory is the table of the peak memory, and of PyTorch's.
func (r Record) memory() string {
	var rows [][]string
	for _, c := range r.Comparisons {
		for _, e := range c.Entries[1:] {
			if e.Name != "PyTorch" {
				continue
			}
			ours := c.Entries[0]
			rows = append(rows, []string{
				c.What, c.Network, fmt.Sprint(c.Width), quantity.Bytes(ours.PeakMemory), quantity.Bytes(e.PeakMemory), ratioOf(ours.PeakMemory, e.PeakMemory),
				quantity.Bytes(ours.PeakMemory - ours.StartMemory), quantity.Bytes(e.PeakMemory - e.StartMemory),
				ratioOf(ours.PeakMemory-ours.StartMemory, e.PeakMemory-e.StartMemory),
			})
		}
	}
	return table("Peak memory", "Of the process, and what it grows by after the program and its libraries are loaded.",
		[]string{"", "network", "width", "nbbnn", "PyTorch", "ratio", "nbbnn, growth", "PyTorch, growth", "ratio"}, rows)
}

func ratioOf(ours, theirs int64) string {
	if ours <= 0 || theirs <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f", float64(ours)/float64(theirs))
}

// Names of settings that the table explains.
const (
	FrozenWeights = "frozen weights" // a step differentiates the latents alone
	OlderKernels  = "AVX2 kernels"   // on a processor that has AVX-512, too
	Copies        = "1 core, a copy on each"
)

// settings is the table of our own settings.
func (r Record) settings() string {
	text := fmt.Sprintf("The training step on %d cores with one component, and how many times as long it takes otherwise.", r.Machine.Cores)
	var rows [][]string
	for _, c := range r.Settings {
		usual, changed := c.Entries[0], c.Entries[1]
		slower := 1 / changed.Ratio.Median
		rows = append(rows, []string{
			c.Network, fmt.Sprint(c.Width), quantity.Seconds(usual.Seconds.Median), changed.Name, quantity.Seconds(changed.Seconds.Median),
			fmt.Sprintf("**%.2f** (%.2f to %.2f)", slower, 1/changed.Ratio.ThirdQuartile, 1/changed.Ratio.FirstQuartile),
		})
	}
	if r.hasSetting(FrozenWeights) {
		text += " With frozen weights, as\n`nbbnn posthoc` trains, a step differentiates the latents alone."
	}
	if r.hasSetting(Copies) {
		text += " Copies on one core each, at once,\nshare the machine, but no work: what their step takes longer than that on 1 core is lost by the machine."
	}
	if r.hasSetting(OlderKernels) {
		text += " `NBBNN_KERNELS=avx2` chooses AVX2 kernels;\nbelow 0.97 they would be more than 3 % faster than those with AVX-512."
	}
	return table("Other settings", text, []string{"network", "width", "step", "changed to", "step", "times as long"}, rows)
}

func (r Record) hasSetting(name string) bool {
	return slices.ContainsFunc(r.Settings, func(c Comparison) bool { return c.Entries[1].Name == name })
}

// methods is the table of the methods' steps.
func (r Record) methods() string {
	var rows [][]string
	for _, c := range r.Methods {
		for _, e := range c.Entries {
			rows = append(rows, []string{
				c.Network, fmt.Sprint(c.Width), fmt.Sprint(c.Images), e.Name, quantity.Seconds(e.Seconds.Median),
				fmt.Sprintf("**%.2f** (%.2f to %.2f)", 1/e.Ratio.Median, 1/e.Ratio.ThirdQuartile, 1/e.Ratio.FirstQuartile),
			})
		}
	}
	return table("Methods", fmt.Sprintf("The training step of each method on %d cores, and how many steps of SGD it takes. SWAG also adds the weights to its moments once an\n"+
		"epoch, which isn't counted. A method and SGD ran in turn, so the ratio is the median over the rounds, not that of the two medians.%s", r.Machine.Cores, r.subBatches()),
		[]string{"network", "width", "images", "method", "step", "steps of SGD"}, rows)
}

// The ends of the names of DAMP's two steps: with the default number of sub-batches, and with one.
const (
	DefaultSubBatches = "8 sub-batches"
	OneSubBatch       = "1 sub-batch"
)

// subBatches says what the default number of sub-batches costs in each comparison that measured it
// and one sub-batch; "" if none did.
func (r Record) subBatches() (text string) {
	for _, c := range r.Methods {
		usual, one := c.ratioOf(DefaultSubBatches), c.ratioOf(OneSubBatch)
		if usual > 0 && one > 0 {
			text += fmt.Sprintf("\nOn %s of width %d a step of DAMP with the default, %s, takes %.2f steps of SGD, and with `--damp-sub-batches 1` %.2f.",
				c.Network, c.Width, DefaultSubBatches, 1/usual, 1/one)
		}
	}
	return text
}

// ratioOf returns the median ratio of the entry whose name has an end; 0 if there is none.
func (c Comparison) ratioOf(end string) float64 {
	for _, e := range c.Entries {
		if strings.HasSuffix(e.Name, end) {
			return e.Ratio.Median
		}
	}
	return 0
}

// scalings are the tables of how the time grows.
func (r Record) scalings() string {
	var rows [][]string
	for _, s := range r.Scalings {
		for i, value := range s.Values {
			exponent := ""
			if i == len(s.Values)-1 {
				exponent = fmt.Sprintf("**%.2f**", s.Exponent)
			}
			rows = append(rows, []string{fmt.Sprintf("%s:%d", s.Network, s.Width), s.Variable, fmt.Sprint(value), quantity.Seconds(s.Seconds[i]), exponent})
		}
	}
	return table("How the time grows", "Of a step with more samples or images, of a training with more epochs; the exponent b is of the best fit seconds = a value^b.",
		[]string{"network", "", "value", "time", "exponent"}, rows)
}

// estimates is the table of what nbbnn train --plan said.
func (r Record) estimates() string {
	var rows [][]string
	for _, e := range r.Estimates {
		rows = append(rows, []string{
			e.Network, fmt.Sprint(e.Width), fmt.Sprintf("%d x %d", e.Images, e.Samples),
			quantity.Seconds(e.Seconds), quantity.Seconds(e.MeasuredSeconds), fmt.Sprintf("%.2f", e.Seconds/e.MeasuredSeconds),
			quantity.Bytes(int64(e.Memory)), quantity.Bytes(int64(e.MeasuredMemory)), fmt.Sprintf("%.2f", e.Memory/e.MeasuredMemory),
		})
	}
	return table("What `nbbnn train --plan` says", "Compared with what was measured afterwards in another process.",
		[]string{"network", "width", "images x samples", "step, estimated", "measured", "ratio", "memory, estimated", "measured", "ratio"}, rows)
}

// corruption is the table of the corruptions.
func (r Record) corruption() string {
	if r.Corruption == nil {
		return ""
	}
	var rows [][]string
	for _, rate := range r.Corruption.Rates {
		rows = append(rows, []string{rate.Name, fmt.Sprintf("%.0f", rate.ImagesPerSecond)})
	}
	rows = append(rows, []string{"each of them once", fmt.Sprintf("%.0f", r.Corruption.Together())})
	text := fmt.Sprintf("Images of %d pixels at severity %d, on all cores.", r.Corruption.Side, r.Corruption.Severity)
	return table("Making corrupted images", text, []string{"corruption", "images/s"}, rows)
}

// start is the table of the times until the first result.
func (r Record) start() string {
	if r.Start == nil {
		return ""
	}
	s := r.Start
	return table("Start", fmt.Sprintf("Of %s with %d channels.", s.Network, s.Width), []string{"what", "time"}, [][]string{
		{"start of the program", quantity.Seconds(s.VersionSeconds)},
		{"the same with the engine opened and its kernels checked", quantity.Seconds(s.DoctorSeconds)},
		{"making the network", quantity.Seconds(s.NetworkSeconds)},
		{"first training step, with the compilation of its graph", quantity.Seconds(s.FirstStepSeconds)},
		{"second training step", quantity.Seconds(s.SecondStepSeconds)},
	})
}
