//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package network

import (
	"strings"
	"testing"

	"github.com/gomlx/compute/distributed"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/core/tensors/dtensor"

	"github.com/nbbnn/workbench/internal/engine"
	"github.com/nbbnn/workbench/internal/testkit"
)

// fourDevices opens XLA on the processor with four devices.
func fourDevices(t *testing.T) *engine.Engine {
	t.Helper()
	backend := testkit.Must(xla.NewWithOptions("cpu",
		pjrt.NamedValuesMap{"cpu_device_count": int64(4)}))(t)
	if count := backend.NumDevices(); count != 4 {
		t.Fatalf("XLA shows %d devices, want 4", count)
	}
	return &engine.Engine{Backend: backend, Name: "xla:cpu", Cores: 4}
}

// sharing takes the steps of a stepper on several devices, by GoMLX's AutoSharding: each has a part
// of the batch, and all have the weights and the training set.
type sharing struct {
	*Stepper
	specs []*distributed.ShardingSpec
}

// share prepares the program of a call. Only the choice of images and of their views has an axis
// for the batch, so that the rest of the graph is split where XLA finds it best.
func share(t *testing.T, s *Stepper, devices int) *sharing {
	t.Helper()
	mesh := testkit.Must(distributed.NewDeviceMesh([]int{devices}, []string{"devices"}))(t)
	shared := &sharing{Stepper: s}
	batch := distributed.BuildSpec(mesh).S("devices")
	if s.many != nil {
		batch = distributed.BuildSpec(mesh).R().S("devices") // an axis for the steps in front
	}
	split := testkit.Must(batch.Done())(t)
	same := distributed.NewReplicatedShardingSpec(mesh)
	for argument := range s.arguments(s.StepsPerCall) {
		spec := same
		if argument >= argChosen && argument <= argMirror {
			spec = split
		}
		shared.specs = append(shared.specs, spec)
	}
	exec := s.program(s.StepsPerCall).exec.AutoSharding(mesh).WithInputShardingSpecs(
		shared.specs...).WithOutputShardingSpecs(same, same)
	testkit.NoError(t, exec.SetDefaultShardingSpec(same))
	return shared
}

// call takes the steps of a call and returns their losses.
func (s *sharing) call(t *testing.T) Losses {
	t.Helper()
	arguments := s.arguments(s.StepsPerCall)
	for i, argument := range arguments {
		tensor, is := argument.(*tensors.Tensor)
		if !is {
			tensor = tensors.MustFromAnyValue(argument)
		}
		parts := testkit.Must(dtensor.ShardTensor(s.specs[i], tensor))(t)
		arguments[i] = parts
	}
	outputs := testkit.Must(s.program(s.StepsPerCall).exec.DistributedExec(arguments...))(t)
	s.Position = s.after(s.StepsPerCall)
	return Losses{s.StepsPerCall, scalar(outputs[0].Shards()[0]), scalar(outputs[1].Shards()[0])}
}

// Steps whose batch is shared by four devices have the losses of one device and end with its
// weights: also those of batch normalisation, whose means are over the batch of all devices, and
// those of many steps in a call. The noise is counted by image, so each device draws its part.
func TestXLAShardsTheBatch(t *testing.T) {
	const steps, rate, tolerance = 20, 0.0005, 1e-4
	one := openXLA(t)
	four := fourDevices(t)
	for name, c := range map[string]struct {
		network string
		side    int
		perCall int
	}{
		"a step a call": {"resnet18", 32, 1}, "many steps in a call": {"allcnnc", 8, steps},
	} {
		t.Run(name, func(t *testing.T) {
			settings := tinySettings()
			settings.Network.Name = c.network
			// With published rates, rounding grows fivefold a step in so narrow a network with
			// normalisation.
			settings.Training = Training{Epochs: 2, Batch: 16, Samples: 2, LearningRate: rate,
				PosteriorLearningRate: rate}
			open := func(opened *engine.Engine, perCall int) *Stepper {
				data := randomData(steps*settings.Training.Batch, c.side, 10)
				m := testkit.Must(NewModel(settings, data, ModelOptions{Engine: opened,
					Noise: DeviceNoise}))(t)
				return testkit.Must(NewStepper(m, data.Train,
					StepperOptions{StepsPerCall: perCall}))(t)
			}
			alone, shared := open(one, 1), share(t, open(four, c.perCall), 4)
			for shared.Position.Epoch == 0 {
				got := shared.call(t)
				var want float64
				for range got.Steps {
					losses := testkit.Must(alone.Step(t.Context()))(t)
					want += losses.NLL
				}
				testkit.Near(t, "loss", got.NLL, want, tolerance*want)
			}
			for _, v := range storeVariables(alone.Model.store) {
				// gradients, which rounding moves over kinks
				if strings.HasPrefix(v.Path(), "/momentum/") {
					continue
				}
				other := shared.Model.store.GetVariable(v.Path())
				testkit.Near(t, v.Path(), other.MustValue().Value(), v.MustValue().Value(),
					20*tolerance)
			}
		})
	}
}
