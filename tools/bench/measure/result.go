package measure

import "github.com/nbbnn/workbench/internal/machine"

// Result is one measurement of a step, ours or a peer's; the fields that both have carry the same
// names in JSON.
type Result struct {
	What string `json:"what"` // "train", "evaluate"
	Workload
	Steps       int `json:"steps"`                   // timed; those for warming up don't count
	StepsAtOnce int `json:"steps_at_once,omitempty"` // that one call takes; 0 means 1, and times are of a step all the same

	MedianSeconds  float64 `json:"median_seconds"` // of a step
	Seconds        Spread  `json:"seconds"`
	TotalSeconds   float64 `json:"total_seconds"` // of all timed steps
	RowsPerSecond  float64 `json:"rows_per_second"`
	Operations     float64 `json:"operations"`         // floating-point operations of a step in the layers with weights
	GFLOPS         float64 `json:"gflops"`             // 1e9 of them a second
	PeakGFLOPS     float64 `json:"peak_gflops"`        // of a plain matrix product on the same engine
	FractionOfPeak float64 `json:"fraction_of_peak"`   // GFLOPS / PeakGFLOPS; above 1 where a convolution takes fewer operations than its definition
	PeakMemory     int64   `json:"peak_memory_bytes"`  // of the process, or of the device where there is one; 0 if it wasn't measured
	StartMemory    int64   `json:"start_memory_bytes"` // of the process before the network was made, the program itself; 0 on a device

	LearningRate float64   `json:"learning_rate,omitempty"`
	Losses       []float64 `json:"losses,omitempty"` // of all steps, those for warming up too, where they were asked for

	Engine  string          `json:"engine"`
	Device  string          `json:"device,omitempty"` // that computes, in the words of its driver; "" for the processor
	Cores   int             `json:"cores"`            // in use
	Machine machine.Machine `json:"machine"`
	Commit  string          `json:"commit"` // of the program; a peer's version
}

// Workload names what is computed.
type Workload struct {
	Network    string `json:"network"`
	Width      int    `json:"width"`
	Side       int    `json:"side"` // of the images, in pixels
	Classes    int    `json:"classes"`
	Images     int    `json:"images"`  // of a step
	Samples    int    `json:"samples"` // of each image
	Components int    `json:"components"`
	Mode       string `json:"mode"`
	Precision  string `json:"precision,omitempty"` // of convolutions and activations; "" is float32
	Parameters int    `json:"parameters"`          // deterministic ones
}

// Time enters the seconds of the calls, each of StepsAtOnce steps, and what follows from them for a
// step.
func (r *Result) Time(seconds []float64) {
	atOnce := max(1, r.StepsAtOnce)
	r.TotalSeconds = 0
	steps := make([]float64, len(seconds))
	for i, one := range seconds {
		r.TotalSeconds += one
		steps[i] = one / float64(atOnce)
	}
	r.Seconds = NewSpread(steps)
	r.Steps, r.MedianSeconds = r.Seconds.Count*atOnce, r.Seconds.Median
	r.RowsPerSecond = perSecond(float64(r.Images*r.Samples), r.MedianSeconds)
	r.GFLOPS = perSecond(r.Operations, r.MedianSeconds) / 1e9
	if r.PeakGFLOPS > 0 {
		r.FractionOfPeak = r.GFLOPS / r.PeakGFLOPS
	}
}

func perSecond(count, seconds float64) float64 {
	if seconds <= 0 {
		return 0
	}
	return count / seconds
}
