package baseline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// Method says how weights are trained and which weights predict. The zero value is the node-BNN of
// the paper, or MAP if the network has no latents. Its options belong to one method each: zero means
// the default, and an option of another method is refused.
type Method struct {
	Name Name `json:"name"` // "" means NodeBNN

	// Rho is the length of the move of SAM and ASAM; 0 means the published one: for SAM 0.05, for
	// ASAM 0.5, and twice as long on CIFAR-100 and TinyImageNet.
	Rho float64 `json:"rho,omitempty"`
	// BothPasses lets both passes of SAM and ASAM update the running statistics of batch
	// normalisation; the default is the first pass alone.
	BothPasses bool `json:"both_passes,omitempty"`
}

// Name names a method.
type Name string

// The methods.
const (
	NodeBNN Name = "nodebnn" // the method of the paper: a posterior over the latents of the nodes
	MAP     Name = "map"     // SGD with Nesterov momentum: one network, the maximum a posteriori
)

// Names lists the methods, the node-BNN first.
func Names() []Name {
	names := []Name{NodeBNN}
	for _, d := range definitions() {
		names = append(names, d.name)
	}
	return names
}

// definition is one of the methods that train an ordinary network.
type definition struct {
	name Name
	// fill replaces the options that are zero by their defaults.
	fill func(m Method, at target) Method
	// check returns an error for options that the method can't have; nil means that it has none.
	check func(m Method, at target) error
	// training returns how a Stepper trains the method; nil means with Nesterov momentum.
	training func(m Method, at target) network.StepperOptions
}

// target is what a method is applied to.
type target struct {
	settings network.Settings // filled, but for what the method itself decides
	data     string           // name of the data set
	images   int              // of the training set; 0 before it's known
}

// definitions returns the methods in the order of Names.
func definitions() []definition {
	return []definition{
		{name: MAP},
		samDefinition(SAM),
		samDefinition(ASAM),
	}
}

// definition returns what a method does. The node-BNN and unknown names have none.
func (m Method) definition() (d definition, found bool) {
	all := definitions()
	i := slices.IndexFunc(all, func(d definition) bool { return d.name == m.Name })
	if i < 0 {
		return definition{}, false
	}
	return all[i], true
}

// option is one of the fields of Method.
type option struct {
	name string // in JSON
	set  bool
	of   []Name
}

func (m Method) options() []option {
	return []option{
		{"rho", m.Rho != 0, []Name{SAM, ASAM}},
		{"both_passes", m.BothPasses, []Name{SAM, ASAM}},
	}
}

// Apply returns the method with its defaults, and the settings that it trains with: a network
// without latents unless the method is NodeBNN. The names NodeBNN and MAP become "", since the
// settings alone tell them apart: Of names them.
func (m Method) Apply(s network.Settings, data string) (Method, network.Settings) {
	if m.Name == NodeBNN {
		m.Name = ""
	}
	d, found := m.definition()
	if !found {
		return m, s
	}
	s.Posterior.Mode = cmp.Or(s.Posterior.Mode, network.Deterministic)
	if d.fill != nil {
		m = d.fill(m, target{settings: s, data: data})
	}
	if m == (Method{Name: MAP}) && s.Posterior.Mode == network.Deterministic {
		m = Method{}
	}
	return m, s
}

// Of returns the name of the method that trains settings.
func (m Method) Of(s network.Settings) Name {
	if m.Name == "" && s.Posterior.Mode == network.Deterministic {
		return MAP
	}
	return cmp.Or(m.Name, NodeBNN)
}

// Validate checks a method and settings that Apply has returned.
func (m Method) Validate(s network.Settings, data string) error {
	if err := check.Known("method", m.Of(s), Names()...); err != nil {
		return err
	}
	if err := m.checkOptions(s); err != nil {
		return err
	}
	d, found := m.definition()
	if !found {
		return nil
	}
	if mode := s.Posterior.Mode; mode != network.Deterministic {
		return fmt.Errorf("nbbnn: method %s trains a network without latents, not mode %q: "+
			"leave the mode out",
			m.Name, mode)
	}
	if d.check == nil {
		return nil
	}
	return d.check(m, target{settings: s, data: data})
}

// checkOptions refuses the options of other methods.
func (m Method) checkOptions(s network.Settings) error {
	name := m.Of(s)
	for _, o := range m.options() {
		if !o.set || slices.Contains(o.of, name) {
			continue
		}
		var owners []string
		for _, owner := range o.of {
			owners = append(owners, string(owner))
		}
		return fmt.Errorf("nbbnn: %s is an option of the method %s, not of %s: leave it out",
			strings.ReplaceAll(o.name, "_", " "), strings.Join(owners, " and "), name)
	}
	return nil
}

// Training returns how a Stepper trains the filled method: its update rule, schedule and hooks.
// images is the number of training images.
func (m Method) Training(s network.Settings, images int) network.StepperOptions {
	d, found := m.definition()
	if !found || d.training == nil {
		return network.StepperOptions{}
	}
	return d.training(m, target{settings: s, images: images})
}
