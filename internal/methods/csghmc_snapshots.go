package methods

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// isSnapshot returns the function that reports whether the weights are kept after a number of
// epochs: after each of the last few of a cycle.
func isSnapshot(m Method, epochs int) func(complete int) bool {
	cycle := epochs / m.Cycles
	return func(complete int) bool { return (complete-1)%cycle >= cycle-m.Snapshots }
}

// snapshotsAfter returns how many snapshots a training of some epochs has after the first of them.
func snapshotsAfter(m Method, epoch, epochs int) (count int) {
	kept := isSnapshot(m, epochs)
	for complete := 1; complete <= epoch; complete++ {
		if kept(complete) {
			count++
		}
	}
	return count
}

// snapshots are the networks that a training keeps, running statistics included.
type snapshots struct {
	chosen func(complete int) bool
	kept   [][]network.Tensor
}

// hook keeps the network after the epochs that are chosen, and all of them in checkpoints.
func (k *snapshots) hook() network.Hook {
	return network.Hook{
		Name: string(baseline.CSGHMC),
		AfterEpoch: func(s *network.Stepper) error {
			if !k.chosen(s.Position.Epoch) {
				return nil
			}
			variables, err := s.Model.Variables()
			if err != nil {
				return err
			}
			k.kept = append(slices.Clip(k.kept), networkTensors(variables))
			return nil
		},
		State:    k.state,
		SetState: k.setState,
	}
}

// networkTensors returns the variables of the network without the buffers of the rule.
func networkTensors(variables []network.Tensor) []network.Tensor {
	buffer := network.Nesterov().ThetaBuffers[0] + "."
	return slices.DeleteFunc(slices.Clone(variables), func(tensor network.Tensor) bool {
		return strings.HasPrefix(tensor.Name, buffer)
	})
}

// state names the variables of snapshot 3 0003.theta.conv1.weights.
func (k *snapshots) state() (all []network.Tensor, err error) {
	for i, variables := range k.kept {
		for _, tensor := range variables {
			tensor.Name = fmt.Sprintf("%04d.%s", i, tensor.Name)
			all = append(all, tensor)
		}
	}
	return all, nil
}

// setState continues from the tensors of a checkpoint.
func (k *snapshots) setState(state []network.Tensor) error {
	k.kept = nil
	for _, tensor := range state {
		number, name, _ := strings.Cut(tensor.Name, ".")
		i, err := strconv.Atoi(number)
		if err != nil || i > len(k.kept) {
			return fmt.Errorf("has a snapshot named %s: want the ones before it", tensor.Name)
		}
		if i == len(k.kept) {
			k.kept = append(k.kept, nil)
		}
		tensor.Name = name
		k.kept[i] = append(k.kept[i], tensor)
	}
	return nil
}
