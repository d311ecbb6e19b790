package network

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/testkit"
)

// testStepper trains settings on sixteen random images of 8 by 8 pixels.
func testStepper(t testing.TB, settings Settings, options StepperOptions) *Stepper {
	t.Helper()
	data := randomData(16, 8, 10)
	m := testkit.Must(NewModel(settings, data, ModelOptions{Noise: HostNoise}))(t)
	return testkit.Must(NewStepper(m, data.Train, options))(t)
}

func takeSteps(t testing.TB, s *Stepper, count int) {
	t.Helper()
	for range count {
		testkit.Must(s.Step(t.Context()))(t)
	}
}

func stateOf(t testing.TB, s *Stepper) State {
	t.Helper()
	return testkit.Must(s.State())(t)
}

// checkEqual checks that two states have the same position and the same variables bit for bit.
func checkEqual(t testing.TB, what string, got, want State) {
	t.Helper()
	if got.Position != want.Position || len(got.Variables) != len(want.Variables) {
		t.Fatalf("%s: %d variables at %+v, want %d at %+v",
			what, len(got.Variables), got.Position, len(want.Variables), want.Position)
	}
	for i, w := range want.Variables {
		if g := got.Variables[i]; g.Name != w.Name || !bytes.Equal(g.Data, w.Data) {
			t.Errorf("%s: %s differs from %s", what, g.Name, w.Name)
		}
	}
}

func valuesOf(t testing.TB, state State, name string) []float64 {
	t.Helper()
	for _, tensor := range state.Variables {
		if tensor.Name == name {
			return testkit.Flatten(tensor.Floats())
		}
	}
	t.Fatalf("there's no %s", name)
	return nil
}

// A stepper that continues from the state of another takes the same steps, and Restart begins
// again.
func TestStepperContinuesFromAState(t *testing.T) {
	const steps, stop = 10, 5 // four steps are an epoch
	whole := testStepper(t, tinySettings(), StepperOptions{})
	begin := stateOf(t, whole)
	takeSteps(t, whole, steps)
	want := stateOf(t, whole)
	first := testStepper(t, tinySettings(), StepperOptions{})
	takeSteps(t, first, stop)
	second := testStepper(t, tinySettings(), StepperOptions{})
	testkit.NoError(t, second.SetState(stateOf(t, first)))
	if got, want := second.Position, (Position{Epoch: 1, Step: 1}); got != want {
		t.Errorf("after %d steps the position is %+v, want %+v", stop, got, want)
	}
	takeSteps(t, second, steps-stop)
	checkEqual(t, "after the state of another", stateOf(t, second), want)
	testkit.NoError(t, second.SetState(State{}))
	checkEqual(t, "after Restart", stateOf(t, second), begin)
}

// twoPasses takes Nesterov's step along the gradients at weights that are larger by a share.
func twoPasses(share float64) Rule {
	return Rule{Name: "two passes", ThetaBuffers: []string{momentumBuffer},
		Update: func(s *StepGraph) {
			s.Loss(nil)
			var moved []StepParameter
			for _, p := range s.Theta {
				moved = append(moved, StepParameter{p.Path, MulScalar(p.Value, 1+share)})
			}
			theta, phi := s.Gradients(s.Loss(moved))
			s.NesterovStep(theta)
			s.PlainStep(phi)
		}}
}

// A rule with two losses on one batch sees the same images and draws twice: with a perturbation of
// nothing it takes the steps of Nesterov. Only the first loss updates the running statistics of
// batch normalisation.
func TestRuleWithTwoLosses(t *testing.T) {
	settings := tinySettings()
	settings.Network = Network{Name: "resnet18", Width: 2}
	nesterov := testStepper(t, settings, StepperOptions{})
	same := testStepper(t, settings, StepperOptions{Rule: twoPasses(0)})
	other := testStepper(t, settings, StepperOptions{Rule: twoPasses(0.5)})
	for _, s := range []*Stepper{nesterov, same, other} {
		takeSteps(t, s, 1)
	}
	want, got, moved := stateOf(t, nesterov), stateOf(t, same), stateOf(t, other)
	const tolerance = 1e-6
	for _, tensor := range want.Variables {
		testkit.Near(t, tensor.Name, valuesOf(t, got, tensor.Name), valuesOf(t, want, tensor.Name),
			tolerance)
		if strings.HasPrefix(tensor.Name, "running.") {
			testkit.Near(t, tensor.Name+" with a perturbation", valuesOf(t, moved, tensor.Name),
				valuesOf(t, want, tensor.Name), 0)
		}
	}
	const weights = "theta.stem.conv.weights"
	if fmt.Sprint(valuesOf(t, moved, weights)) == fmt.Sprint(valuesOf(t, want, weights)) {
		t.Error("the perturbation changes nothing")
	}
}

// noisyRule replaces every parameter of theta by normal numbers, of two draws, times the input of
// the step.
func noisyRule() Rule {
	return Rule{
		Normals: 2,
		Inputs: func(at Position) []float32 {
			return []float32{float32(1 + at.Epoch*10 + at.Step)}
		},
		Update: func(s *StepGraph) {
			s.Loss(nil)
			for _, p := range s.Theta {
				// of variance 1 if they differ
				both := MulScalar(Add(s.Normals(p), s.Normals(p)), math.Sqrt(0.5))
				s.Set(p, Mul(both, Reshape(s.Inputs)))
			}
		},
	}
}

// The numbers of a rule are standard normal, differ between draws, parameters and steps, and come
// back after a state.
func TestRuleWithNoiseAndInputs(t *testing.T) {
	settings := tinySettings()
	settings.Network.Width = 16
	s := testStepper(t, settings, StepperOptions{Rule: noisyRule()})
	var first, second State
	takeSteps(t, s, 1)
	first = stateOf(t, s)
	takeSteps(t, s, 5)
	second = stateOf(t, s)
	const name, other = "theta.conv7.weights", "theta.conv6.weights"
	early, late, neighbour := valuesOf(t, first, name), valuesOf(t, second, name),
		valuesOf(t, first, other)
	sum, squares, across, beside := 0.0, 0.0, 0.0, 0.0
	for i := range early {
		sum += early[i]
		squares += early[i] * early[i]
		across += early[i] * late[i] / 12 // the sixth step is step 2 of epoch 1
		beside += early[i] * neighbour[i]
	}
	count := float64(len(early))
	testkit.Near(t, "mean", sum/count, 0.0, 5/math.Sqrt(count))
	testkit.Near(t, "variance", squares/count, 1.0, 5*math.Sqrt(2/count))
	testkit.Near(t, "correlation of two steps", across/count, 0.0, 5/math.Sqrt(count))
	testkit.Near(t, "correlation of two parameters", beside/count, 0.0, 5/math.Sqrt(count))
	squares = 0
	for _, value := range late {
		squares += value * value
	}
	testkit.Near(t, "variance with the input 12", squares/count/144, 1.0, 5*math.Sqrt(2/count))

	again := testStepper(t, settings, StepperOptions{Rule: noisyRule()})
	testkit.NoError(t, again.SetState(first))
	takeSteps(t, again, 5)
	checkEqual(t, "after a state", stateOf(t, again), second)
}

// Hooks are called after each call and each epoch, and their state is kept with the variables.
func TestHooks(t *testing.T) {
	var calls int
	var epochs []Position
	var restored []Tensor
	hook := Hook{
		Name:       "count",
		AfterCall:  func(*Stepper, Losses) error { calls++; return nil },
		AfterEpoch: func(s *Stepper) error { epochs = append(epochs, s.Position); return nil },
		State: func() ([]Tensor, error) {
			return []Tensor{{Name: "calls", DType: "U8", Shape: []int{1},
				Data: []byte{byte(calls)}}}, nil
		},
		SetState: func(state []Tensor) error { restored = state; return nil },
	}
	s := testStepper(t, tinySettings(), StepperOptions{Hooks: []Hook{hook}})
	takeSteps(t, s, 9)
	if calls != 9 || fmt.Sprint(epochs) != "[{1 0} {2 0}]" {
		t.Errorf("%d calls, epochs %v; want 9 and the positions after two epochs", calls, epochs)
	}
	testkit.NoError(t, s.SetState(stateOf(t, s)))
	if len(restored) != 1 || restored[0].Name != "calls" || restored[0].Data[0] != 9 {
		t.Errorf("the hook continues from %+v, want its nine calls", restored)
	}
	if err := s.SetState(State{}); err != nil || restored != nil {
		t.Errorf("after Restart the hook has %+v, error %v; want nothing", restored, err)
	}
	failing := testStepper(t, tinySettings(),
		StepperOptions{Hooks: []Hook{{AfterCall: func(*Stepper, Losses) error {
			return errors.New("full disk")
		}}}})
	if _, err := failing.Step(t.Context()); err == nil || err.Error() != "full disk" {
		t.Errorf("error %v, want that of the hook", err)
	}
}

// A loss that isn't finite is an error with the position of its step, and the cause is found.
func TestStepperFindsWhatIsNotFinite(t *testing.T) {
	for what, settings := range map[string]Settings{"crops": tinySettings(),
		"mixed images": mixedSettings()} {
		s := testStepper(t, settings, StepperOptions{})
		takeSteps(t, s, 2)
		state := brokenState(t, s)
		testkit.NoError(t, s.SetState(state))
		_, err := s.Step(t.Context())
		var broken NotFiniteError
		if !errors.As(err, &broken) || broken.Position != (Position{Step: 2}) {
			t.Fatalf("%s: error %v, want that of the third step", what, err)
		}
		testkit.NoError(t, s.SetState(state))
		place, at, err := s.FindNotFinite(t.Context(), broken.Position, 1)
		if err != nil || place != "layer conv3" || at != broken.Position {
			t.Errorf("%s: found %q at %+v, error %v; want layer conv3 at %+v", what, place, at, err,
				broken.Position)
		}
		testkit.NoError(t, s.SetState(State{}))
		place, at, err = s.FindNotFinite(t.Context(), broken.Position, 2)
		if err != nil || place != "" || at != broken.Position ||
			s.Position != (Position{Epoch: 1}) {
			t.Errorf("%s: a sound training found %q at %+v and ended at %+v, error %v; want "+
				"nothing and all steps", what, place, at, s.Position, err)
		}
	}
}

// brokenState returns the stepper's state with weights of conv3 that overflow.
func brokenState(t *testing.T, s *Stepper) State {
	t.Helper()
	state := stateOf(t, s)
	for i, tensor := range state.Variables {
		if tensor.Name == "theta.conv3.weights" {
			state.Variables[i].Data = bytes.Repeat(binary.LittleEndian.AppendUint32(nil,
				math.Float32bits(3e38)), len(tensor.Data)/4)
		}
	}
	return state
}

// A batch normalisation of one value for each channel leaves nothing of it.
func TestBatchesOfOneImage(t *testing.T) {
	for _, c := range []struct {
		side, batch, samples int
		refused              bool
	}{{8, 1, 1, true}, {8, 2, 1, false}, {8, 1, 2, false}, {16, 1, 1, false}} {
		settings := Settings{
			Network: Network{Name: "resnet18", Width: 2}, Posterior: Posterior{Mode: Deterministic},
			Training: Training{Batch: c.batch, Samples: c.samples},
		}
		m, err := NewModel(settings, randomData(4, c.side, 10), ModelOptions{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = NewStepper(m, randomData(4, c.side, 10).Train, StepperOptions{})
		if c.refused {
			testkit.Error(t, "a batch of one image", err, "one value for each channel of images "+
				"of 8 x 8 pixels: choose a batch of 2")
		} else if err != nil {
			t.Errorf("%+v: %v", c, err)
		}
	}
}

func TestStepperRefuses(t *testing.T) {
	settings := tinySettings()
	settings.Training.Batch = 17
	data := randomData(16, 8, 10)
	m, err := NewModel(settings, data, ModelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = NewStepper(m, data.Train, StepperOptions{})
	testkit.Error(t, "a batch that is too large", err, "16 training images make no batch of 17")
	s := testStepper(t, tinySettings(), StepperOptions{})
	state := stateOf(t, s)
	for what, c := range map[string]struct {
		state State
		want  string
	}{
		"a position behind the epoch": {State{Position{Step: 4}, state.Variables},
			"is at step 5 of epoch 1, which has 4 steps"},
		"a missing variable": {State{Variables: state.Variables[1:]}, "has no " +
			state.Variables[0].Name},
	} {
		testkit.Error(t, what, s.SetState(c.state), c.want)
	}
}
