package nbbnn

import "fmt"

// memoryShortage is the error of a computation for which the memory of a device didn't suffice.
type memoryShortage struct {
	work  string // what was computed, with its size
	bytes int64  // that it needs by the plan of the engine's compiler; 0 if that isn't known
	asked string // what the engine asked for when it failed; "" if it didn't say
	cure  string // which knob makes the work smaller
}

func (e memoryShortage) Error() string {
	needs, asked := "", ""
	if e.bytes > 0 {
		needs = fmt.Sprintf(", which needs %.1f GB in all", float64(e.bytes)/1e9)
	}
	if e.asked != "" {
		asked = fmt.Sprintf(" (it asked for %s at once)", e.asked)
	}
	return fmt.Sprintf("nbbnn: the GPU has too little free memory for %s%s%s: %s, or free memory that other programs hold: nvidia-smi lists them",
		e.work, needs, asked, e.cure)
}
