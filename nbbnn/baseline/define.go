package baseline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/nbbnn/network"
)

// Definition is a method of training that a program adds to the built-in ones: an update rule, a
// schedule, a loss, or several of them. It trains node-BNNs, and ordinary networks in mode none;
// the weights and the posterior at the end of the training predict.
type Definition struct {
	Name    Name   // in files, flags and pictures: lower-case letters, digits and underscores
	Version string // change it with Training, so that older runs are kept apart

	// Training returns how a Stepper trains filled settings on a number of images. It's a pure
	// function, which is called several times. Nil means that a loop of the program trains, whose
	// network nbbnn.Keep makes a run.
	Training func(s network.Settings, images int) network.StepperOptions
}

// Define makes a method available to configurations. Call it from an init function or before
// command.Main, so that every process that trains with the method knows it. A fingerprint of the
// version and the schedules is part of the configuration, so that a changed definition is another
// run.
func Define(d Definition) error {
	if strings.TrimSpace(d.Version) == "" {
		return definitions.Refuse(string(d.Name),
			fmt.Errorf(
				`baseline: method %q has no version: give one, for example "1", and change it with Training`, d.Name))
	}
	own := definition{name: d.Name}
	if d.Training != nil {
		own.training = func(_ Method, at target) network.StepperOptions {
			return d.Training(at.settings, at.images)
		}
	}
	var err error
	if own.fingerprint, err = d.fingerprint(); err != nil {
		return definitions.Refuse(string(d.Name), fmt.Errorf("baseline: method %q: %w", d.Name,
			err))
	}
	return definitions.Add(own)
}

// IsOwn reports whether Define has added the method.
func (m Method) IsOwn() bool { return definitionOf(m).fingerprint != "" }

// IsLoop reports whether the method was added without Training: a loop of the program trains.
func (m Method) IsLoop() bool { return m.IsOwn() && definitionOf(m).training == nil }

// Undefined returns an error unless this program has the method that a filled configuration was
// made with: another program defines it, or it has changed. What the run's weights predict needs no
// method.
func (m Method) Undefined() error {
	return definitions.Undefined(string(m.Name), m.Fingerprint, definitionOf(m).fingerprint,
		"the method "+string(m.Name)+" has")
}

// fingerprint returns hexadecimal digits that change with the version, the names of the rule and
// the schedules of usual settings.
func (d Definition) fingerprint() (text string, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("Training fails: %v: correct the function", problem)
		}
	}()
	s := network.Settings{Objective: network.Objective{Gamma: 1}, Training: network.Training{
		Epochs: 100}}.WithDefaults()
	o, hash := network.StepperOptions{}, sha256.New()
	if d.Training != nil {
		o = d.Training(s, network.UsualImages)
	}
	fmt.Fprintf(hash, "%q %q %q %q %d", d.Version, o.Rule.Name, o.Rule.ThetaBuffers,
		o.Rule.PhiBuffers, o.Rule.Normals)
	for epoch := range s.Training.Epochs {
		var numbers []float64
		if o.Schedule != nil {
			theta, phi, beta := o.Schedule(epoch)
			numbers = append(numbers, theta, phi, beta)
		}
		if o.Gamma != nil {
			numbers = append(numbers, o.Gamma(epoch))
		}
		for _, x := range numbers {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return "", fmt.Errorf("its schedule gives %g in epoch %d of %d: give finite "+
					"numbers", x, epoch+1, s.Training.Epochs)
			}
			// the same on every processor, without -0
			fmt.Fprintf(hash, " %.5g", math.Round(x*1e9)/1e9+0)
		}
	}
	return hex.EncodeToString(hash.Sum(nil)[:6]), nil
}
