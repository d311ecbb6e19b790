package network

import (
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/internal/parallel"
)

// However much of it waiting cores drew, and whichever step follows, a step gets its own noise.
func TestStepNoiseIsTrainingNoise(t *testing.T) {
	for _, mode := range []Mode{Both, Deterministic} {
		settings := tinySettings()
		settings.Posterior.Mode = mode
		if mode == Deterministic {
			settings.Posterior.Components, settings.Dropout = 1, .25
		}
		s := testStepper(t, settings, StepperOptions{})
		step := 0
		for _, pieces := range []int{0, 1, 3, 7, 20, 50, 1000, 2, 1000, 5} {
			checkNoise(t, s.noise.take(step), s.Model.TrainingNoise(step))
			got := s.noise.take(step) // again, as after FindNotFinite
			checkNoise(t, got, s.Model.TrainingNoise(step))
			s.noise.begin(step + 1)
			var cores sync.WaitGroup
			for range 2 {
				cores.Go(func() {
					for range pieces {
						parallel.Idle()
					}
				})
			}
			cores.Wait()
			checkNoise(t, got, s.Model.TrainingNoise(step)) // the running step may still read it
			step++
			if pieces == 7 { // as after SetState
				step = 40
			}
		}
	}
}

func checkNoise(t *testing.T, got, want []any) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("noise of %d layers, want %d, and of more than 0", len(got), len(want))
	}
	for layer := range want {
		numbers, wanted := numbersOf(got[layer]), numbersOf(want[layer])
		if !slices.Equal(numbers, wanted) {
			t.Fatalf("layer %d has other noise than that of the step", layer)
		}
	}
}

func numbersOf(tensor any) []float32 {
	return tensors.MustCopyFlatData[float32](tensor.(*tensors.Tensor))
}

// A step lets waiting cores draw the noise of the next one, which isn't drawn again.
func TestStepNoiseIsDrawnAhead(t *testing.T) {
	s := testStepper(t, tinySettings(), StepperOptions{})
	takeSteps(t, s, 1)
	for s.noise.piece() {
		parallel.Idle()
	}
	s.noise.mutex.Lock()
	defer s.noise.mutex.Unlock()
	if s.noise.step != 1 || s.noise.layer >= 0 {
		t.Fatalf("up to layer %d the noise of step %d is left, want none of step 1", s.noise.layer,
			s.noise.step)
	}
	checkNoise(t, s.noise.next, s.Model.TrainingNoise(1))
}

// A training that is abandoned after a step is freed, also if no core waited to draw more.
func TestAbandonedStepperIsFreed(t *testing.T) {
	freed := make(chan struct{})
	func() {
		s := testStepper(t, tinySettings(), StepperOptions{})
		runtime.AddCleanup(s.Model, func(struct{}) { close(freed) }, struct{}{})
		s.noise.mutex.Lock() // so that no core draws
		s.noise.offer()
	}()
	for range 20 {
		runtime.GC()
		select {
		case <-freed:
			return
		default:
			runtime.Gosched()
		}
	}
	t.Error("the network is kept in memory")
}
