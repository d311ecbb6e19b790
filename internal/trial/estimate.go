package trial

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/machine"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Cost is the approximate cost of a training step on this machine with the engine in use. It comes
// from a few trial steps on random images: time and memory of a step grow in proportion to the
// images, so small steps predict large ones.
type Cost struct {
	Seconds float64
	Steps   int     // of an epoch
	Memory  float64 // peak of the process, or need of a device, in bytes; 0 if unknown
	Images  int     // of the largest trial step
}

// Data is the number of images of a training.
type Data struct {
	dataset.Size     // of all images; the training images include held-out ones
	Validation   int // training images that are held out
}

// bytes returns the memory of the images: both splits as they were read, and the training images
// once more on the device.
func (d Data) bytes() float64 { return float64((2*d.Train + d.Test) * d.Height * d.Width * 3) }

// steps returns the steps of an epoch: images that are held out aren't trained on.
func (d Data) steps(batch int) int { return max(1, (d.Train-d.Validation)/batch) }

// Estimate takes trial steps of about a second at most, with no more images than the batch, and
// extends them to a whole training by the method. The peak of memory is for a process that does
// nothing else. On a device the trial is one call of as many whole steps as in a training, and the
// memory is the device's.
func Estimate(ctx context.Context, settings network.Settings, method baseline.Method,
	data Data) (Cost, error) {
	settings = settings.WithDefaults()
	if err := cmp.Or(settings.Validate(), CheckTraining(settings, data)); err != nil {
		return Cost{}, err
	}
	opened, err := engine.Open()
	if err != nil {
		return Cost{}, err
	}
	machine.ResetPeakMemory()
	start := float64(machine.PeakMemory())
	if opened.IsDevice() { // the process's memory means little there
		start = 0
	}
	tried, err := tryOut(ctx, Workload{Settings: settings, Method: method, Height: data.Height,
		Width: data.Width, Classes: data.Classes}, opened.IsDevice())
	if err != nil {
		return Cost{}, err
	}
	machine.ResetPeakMemory()
	return tried.cost(settings, data, start), nil
}

// trial is the cost of a step with a number of images.
type trial struct {
	images  int
	seconds float64
	memory  float64 // above the process's memory before, in bytes
	device  float64 // memory that a call needs there, in bytes; 0 if unknown
}

// cost extends the trial to the training of a configuration in a process that had start bytes: the
// time in proportion to the images, of which a step's fixed part is little, and so does the memory
// beyond the weights'. The trial's device held the images of one batch, a training's holds all.
func (t trial) cost(settings network.Settings, data Data, start float64) Cost {
	batch := settings.Training.Batch
	seconds, memory := t.extend(batch, leastMemory(settings, data))
	cost := Cost{Seconds: seconds, Steps: data.steps(batch), Images: t.images}
	switch {
	case t.device > 0:
		cost.Memory = t.device + float64(data.Train*data.Height*data.Width*3)
	case start > 0:
		cost.Memory = start + memory + data.bytes()
	}
	return cost
}

// extend returns the seconds and bytes of a step of a batch.
func (t trial) extend(batch int, least needs) (seconds, memory float64) {
	times := float64(batch) / float64(t.images)
	memory = least.fixed + times*max(0, t.memory-least.fixed)
	return times * t.seconds, max(memory, least.of(batch))
}

// tryOut takes trial steps with as many images, up to the batch, as take about a second. A call of
// a device is short, and compiling another graph takes longer than it is worth: it has the batch.
func tryOut(ctx context.Context, w Workload, device bool) (trial, error) {
	const longest = 1.0 // seconds of a step
	images := w.Settings.Training.Batch
	if !device {
		probe, err := tryStep(ctx, w, 1)
		if err != nil {
			return probe, err
		}
		if images = min(images, max(1, int(longest/probe.seconds))); images == 1 {
			return probe, nil
		}
	}
	return tryStep(ctx, w, images)
}

// tryStep takes steps with a number of images. A pool of buffers keeps its memory for one more
// collection after the first reset.
func tryStep(ctx context.Context, w Workload, images int) (trial, error) {
	machine.ResetPeakMemory()
	machine.ResetPeakMemory()
	before := machine.PeakMemory()
	w.Settings.Training.Batch = images
	steps, err := NewTraining(w)
	if err != nil {
		return trial{}, err
	}
	return steps.try(ctx, before)
}

// try takes steps, or calls of many, of which the mean counts. The first two compile the graph and
// show the additional memory of the process. Short ones are repeated, as a busy machine interrupts
// some.
func (t *Training) try(ctx context.Context, before int64) (trial, error) {
	const first, least, enough = 2, 3, 0.2 // seconds
	tried, total, taken := trial{images: t.images.Count()}, 0.0, 0
	for i := 0; taken < least || total < enough; i++ {
		if err := ctx.Err(); err != nil {
			return tried, err
		}
		started := time.Now()
		if _, err := t.Step(); err != nil {
			return tried, err
		}
		if i >= first {
			taken, total = taken+1, total+time.Since(started).Seconds()
		}
		if i == first-1 {
			tried.memory = max(0, float64(machine.PeakMemory()-before))
		}
	}
	tried.seconds = total / float64(taken*t.StepsPerCall())
	if t.stepper.Model.Noise == network.DeviceNoise {
		tried.device = float64(t.DeviceMemory())
	}
	return tried, nil
}

// needs is a lower bound of a step's memory in bytes; an estimate is never below it.
type needs struct {
	// for any number of images: weights, their momentum, gradients and the weights after the step
	fixed float64
	// for each image: the outputs of the layers of all its samples, which the gradients look at
	image float64
}

// of returns the bytes for a number of images.
func (n needs) of(images int) float64 { return n.fixed + float64(images)*n.image }

const numberBytes = 4

// leastMemory returns the lower bound of the memory of a step.
func leastMemory(settings network.Settings, data Data) needs {
	const copies = 4
	a := settings.Network.Architecture(data.Classes)
	outputs, _ := a.Outputs(data.Height, data.Width)
	return needs{
		fixed: copies * numberBytes * float64(a.Parameters),
		image: numberBytes * float64(outputs) * float64(settings.Training.Samples),
	}
}

// CheckTraining returns an error if the steps of a training on the processor need more memory than
// the process may have. It allocates nothing.
func CheckTraining(settings network.Settings, data Data) error {
	settings = settings.WithDefaults()
	least, batch := leastMemory(settings, data), settings.Training.Batch
	work := fmt.Sprintf("a training step of %s x %s with width %d",
		quantity.Count(batch, "image"), quantity.Count(settings.Training.Samples, "sample"),
		settings.Network.Width)
	cure := "choose a smaller batch or fewer samples"
	if least.image < least.fixed {
		cure = "choose a smaller width"
	}
	if data.bytes() > least.of(batch) {
		cure = "choose fewer images"
	}
	return checkMemory(work, least.of(batch)+data.bytes(), cure)
}

// MostMemory returns about the most memory, in bytes, of a process that trains on the processor on
// images of a size; 0 if the size is unknown. It takes no steps: twice the lower bound and 256 MB
// are above the estimates of all presets' networks, narrow and wide.
func MostMemory(settings network.Settings, size dataset.Size) float64 {
	if size.Classes == 0 {
		return 0
	}
	const times, process = 2, 256e6
	settings, data := settings.WithDefaults(), Data{Size: size}
	return times*leastMemory(settings, data).of(settings.Training.Batch) + data.bytes() + process
}

// CheckPrediction returns an error if the predictions of a number of images on the processor
// need more memory than the process may have: the weights, the largest output of a layer for all
// samples of a batch, and a log-probability for each class of each sample of each image.
func CheckPrediction(settings network.Settings, size dataset.Size, images, batch,
	samples int) error {
	settings = settings.WithDefaults()
	a := settings.Network.Architecture(size.Classes)
	_, output := a.Outputs(size.Height, size.Width)
	weights := numberBytes * float64(a.Parameters)
	predictions := numberBytes * float64(samples) * (float64(images)*float64(size.Classes) +
		float64(batch)*float64(output))
	work := fmt.Sprintf("the prediction of %s x %s with width %d", quantity.Count(images, "image"),
		quantity.Count(samples, "sample"), settings.Network.Width)
	cure := "choose fewer samples or images"
	if predictions < weights {
		cure = "train a smaller width"
	}
	return checkMemory(work, weights+predictions, cure)
}

// checkMemory compares the least need of some work with the memory of the process. A device's
// engine reports a lack of device memory.
func checkMemory(work string, least float64, cure string) error {
	opened, err := engine.Open()
	if err != nil || opened.IsDevice() {
		return err
	}
	if limit := machine.MemoryLimit(); limit > 0 && least > float64(limit) {
		return fmt.Errorf("nbbnn: %s needs at least %s of memory, and this process may have %s: %s",
			work, quantity.Bytes(int64(min(least, 1<<62))), quantity.Bytes(limit), cure)
	}
	return nil
}
