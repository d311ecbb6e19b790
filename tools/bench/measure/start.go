package measure

import "github.com/nbbnn/workbench/internal/machine"

// Start is how long a program takes until its first result, in seconds.
type Start struct {
	Workload
	VersionSeconds    float64 `json:"version_seconds"`     // to start the program and print its version
	DoctorSeconds     float64 `json:"doctor_seconds"`      // to start it, open the engine and check the kernels
	NetworkSeconds    float64 `json:"network_seconds"`     // to draw the initial weights
	FirstStepSeconds  float64 `json:"first_step_seconds"`  // the first training step, or call of many on a device, with the compilation of its graph
	SecondStepSeconds float64 `json:"second_step_seconds"` // the second, without

	Engine  string          `json:"engine"`
	Machine machine.Machine `json:"machine"`
	Commit  string          `json:"commit"`
}

// Corruption is how fast corrupted images are made.
type Corruption struct {
	Side     int              `json:"side"` // of the images, in pixels
	Severity int              `json:"severity"`
	Rates    []CorruptionRate `json:"rates"`

	Machine machine.Machine `json:"machine"`
	Commit  string          `json:"commit"`
}

// CorruptionRate is the speed of one corruption, on all cores.
type CorruptionRate struct {
	Name            string  `json:"name"`
	ImagesPerSecond float64 `json:"images_per_second"`
}

// Together is the number of images a second when every image gets each corruption once.
func (c Corruption) Together() float64 {
	seconds := 0.0
	for _, rate := range c.Rates {
		seconds += 1 / rate.ImagesPerSecond
	}
	return perSecond(1, seconds)
}
