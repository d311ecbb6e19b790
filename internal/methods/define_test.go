package methods

import (
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/methods/own"
	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/baseline"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// forget removes defined methods at the end of a test.
func forget(t testing.TB) {
	before := own.Methods
	t.Cleanup(func() { own.Methods = before })
	own.Methods = own.New()
}

// scaled multiplies gamma by a factor.
func scaled(factor float64) func(network.Settings, int) network.StepperOptions {
	return func(s network.Settings, _ int) network.StepperOptions {
		return network.StepperOptions{Gamma: func(int) float64 {
			return factor * s.Objective.Gamma
		}}
	}
}

func TestDefineRefuses(t *testing.T) {
	forget(t)
	for _, c := range []struct {
		definition baseline.Definition
		want       string
	}{
		{baseline.Definition{Name: "SAM 2", Version: "1"},
			`baseline: the name "SAM 2" can't be used: choose lower-case letters`},
		{baseline.Definition{Name: "map", Version: "1"},
			`baseline: the name "map" is taken: choose another`},
		{baseline.Definition{Name: "mine"}, `baseline: method "mine" has no version: give one`},
		{baseline.Definition{Name: "mine", Version: "1", Training: func(network.Settings,
			int) network.StepperOptions {
			panic("no")
		}},
			`baseline: method "mine": Training fails: no: correct the function`},
		{baseline.Definition{Name: "mine", Version: "1", Training: func(s network.Settings,
			_ int) network.StepperOptions {
			zero := 0.0
			return network.StepperOptions{Gamma: func(epoch int) float64 {
				return float64(epoch-2) / zero
			}}
		}}, `baseline: method "mine": its schedule gives -Inf in epoch 1 of 100`},
	} {
		testkit.Error(t, string(c.definition.Name), baseline.Define(c.definition), c.want)
		if refused := (Method{Name: c.definition.Name}); strings.Contains(c.want, `method "mine"`) {
			testkit.Error(t, "used all the same", Validate(refused, network.Settings{}, ""), c.want)
		}
	}
	testkit.NoError(t, baseline.Define(baseline.Definition{Name: "mine", Version: "1"}))
	testkit.Error(t, "again", baseline.Define(baseline.Definition{Name: "mine", Version: "2"}),
		`the name "mine" is taken`)
}

// Versions and schedules change the fingerprint, and the same definition has the same.
func TestFingerprintOfAMethod(t *testing.T) {
	seen := map[string]string{}
	for _, c := range []struct {
		name, like string
		definition baseline.Definition
	}{
		{"one", "one", baseline.Definition{Version: "1", Training: scaled(0.5)}},
		{"the same", "one", baseline.Definition{Version: "1", Training: scaled(0.5)}},
		{"a rounding away", "one", baseline.Definition{Version: "1",
			Training: scaled(0.5 + 1e-15)}},
		{"version", "version", baseline.Definition{Version: "2", Training: scaled(0.5)}},
		{"schedule", "schedule", baseline.Definition{Version: "1", Training: scaled(0.6)}},
		{"a loop", "a loop", baseline.Definition{Version: "1"}},
		{"rule", "rule", baseline.Definition{Version: "1", Training: func(s network.Settings,
			n int) network.StepperOptions {
			o := scaled(0.5)(s, n)
			o.Rule = network.Nesterov()
			return o
		}}},
		{"rates", "rates", baseline.Definition{Version: "1", Training: func(s network.Settings,
			_ int) network.StepperOptions {
			return network.StepperOptions{Schedule: s.Training.Rates}
		}}},
	} {
		forget(t)
		c.definition.Name = "mine"
		testkit.NoError(t, baseline.Define(c.definition))
		m, _ := Apply(Method{Name: "mine"}, network.Settings{}, "")
		if first, taken := seen[m.Fingerprint]; taken != (c.name != c.like) || taken &&
			first != c.like || len(m.Fingerprint) != 12 {
			t.Errorf("%s has the fingerprint %q of %q, want it like %q", c.name, m.Fingerprint,
				first, c.like)
		}
		seen[m.Fingerprint] = c.like
	}
}

// A method of one's own trains what it's given; a changed one, and one of another program, say so.
func TestOwnMethod(t *testing.T) {
	forget(t)
	testkit.NoError(t, baseline.Define(baseline.Definition{Name: "mine", Version: "1",
		Training: scaled(0.5)}))
	for _, mode := range []network.Mode{network.Output, network.Deterministic} {
		settings := network.Settings{Posterior: network.Posterior{Mode: mode}}
		m, s := Apply(Method{Name: "mine"}, settings, "")
		s = s.WithDefaults()
		testkit.NoError(t, Validate(m, s, ""))
		if s.Posterior.Mode != mode || Of(m, s) != "mine" || Title(Of(m, s)) != "mine" ||
			!IsOwn(m) || IsLoop(m) {
			t.Errorf("mode %q became %q, method %+v", mode, s.Posterior.Mode, m)
		}
	}
	old := Method{Name: "mine", Fingerprint: "0123456789ab"}
	testkit.Error(t, "changed", Validate(old, network.Settings{}, ""), "baseline: the method mine "+
		"has changed: the configuration has the fingerprint 0123456789ab")
	old.Name = "another"
	testkit.Error(t, "of another program", Validate(old, network.Settings{}, ""),
		`baseline: this program doesn't define "another": run the program that trained it, or call baseline.Define in an init function (known: nodebnn, map, `)
	old.Name = baseline.SAM
	testkit.Error(t, "built in", Validate(old, network.Settings{}, ""),
		"baseline: sam is built in, but the configuration has the fingerprint")
	testkit.Error(t, "unknown", Validate(Method{Name: "another"}, network.Settings{}, ""),
		`unknown method "another"`, "one of your own is in your program")
}
