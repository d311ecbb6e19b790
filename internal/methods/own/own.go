// Package own holds the names of the built-in methods of training, and the methods that a program
// adds with baseline.Define.
package own

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"strings"

	"github.com/nbbnn/workbench/internal/registry"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Training returns how a Stepper trains settings on a number of images.
type Training = func(s network.Settings, images int) network.StepperOptions

// Method is a built-in method, of which only the name is set, or one that Define has added.
type Method struct {
	Name, Fingerprint string
	Training          Training // nil for a loop
}

// Methods are those of this program, in the order of methods.Names.
var Methods = New()

// New returns the built-in methods.
func New() *registry.Registry[Method] {
	var builtIn []Method
	for _, name := range strings.Fields("nodebnn map sam asam swag csghmc mcdropout damp") {
		builtIn = append(builtIn, Method{Name: name})
	}
	return registry.New("baseline.Define", func(m Method) string { return m.Name }, builtIn...)
}

// Define adds a method, as baseline.Define says.
func Define(name, version string, training Training) error {
	if strings.TrimSpace(version) == "" {
		return Methods.Refuse(name, fmt.Errorf("baseline: method %q has no version: "+
			`give one, for example "1", and change it with Training`, name))
	}
	print, err := fingerprint(version, training)
	if err != nil {
		return Methods.Refuse(name, fmt.Errorf("baseline: method %q: %w", name, err))
	}
	return Methods.Add(Method{name, print, training})
}

// fingerprint returns hexadecimal digits that change with the version, the names of the rule and
// the schedules of usual settings.
func fingerprint(version string, training Training) (text string, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			err = fmt.Errorf("Training fails: %v: correct the function", problem)
		}
	}()
	s := network.Settings{Objective: network.Objective{Gamma: 1}, Training: network.Training{
		Epochs: 100}}.WithDefaults()
	o, hash := network.StepperOptions{}, sha256.New()
	if training != nil {
		o = training(s, network.UsualImages)
	}
	fmt.Fprintf(hash, "%q %q %q %q %d", version, o.Rule.Name, o.Rule.ThetaBuffers,
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
