package registry

import (
	"errors"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestRegistry(t *testing.T) {
	r := New("room.Define", func(name string) string { return name }, "plain")
	testkit.NoError(t, r.Add("mine"))
	testkit.Error(t, "taken", r.Add("mine"), `room: the name "mine" is taken: choose another`)
	testkit.Error(t, "built in", r.Add("plain"), `room: the name "plain" is taken`)
	testkit.Error(t, "no name", r.Add("My own"),
		`room: the name "My own" can't be used: choose lower-case letters`)
	if got := r.Names(); !slices.Equal(got, []string{"plain", "mine"}) {
		t.Errorf("names %v", got)
	}
	for _, c := range []struct{ name, have, now, want string }{
		{"mine", "1", "1", ""}, {"plain", "", "", ""}, {"other", "", "", ""},
		{"mine", "1", "2", "room: the layers of mine have changed: the configuration has the " +
			"fingerprint 1, this program 2: restore"},
		{"plain", "1", "", "room: plain is built in, but the configuration has the fingerprint " +
			"1: leave it out"},
		{"other", "1", "",
			`room: this program doesn't define "other": run the program that trained it, or call room.Define in an init function (known: plain, mine)`},
	} {
		err := r.Undefined(c.name, c.have, c.now, "the layers of "+c.name+" have")
		if c.want == "" && err == nil {
			continue
		}
		testkit.Error(t, c.name, err, c.want)
	}
}

// A name that was refused isn't only unknown: who asks for it is told why.
func TestRefused(t *testing.T) {
	r := New("room.Define", func(name string) string { return name }, "plain")
	why := r.Refuse("mine", errors.New("room: mine fails"))
	for _, err := range []error{r.Refused("mine"), r.Undefined("mine", "1", "",
		"the layers of mine have")} {
		if err != why {
			t.Errorf("the reason is %v, want %v", err, why)
		}
	}
	_ = r.Refuse("plain", why)
	testkit.NoError(t, r.Add("mine"))
	if r.Refused("mine") != nil || r.Refused("plain") != nil || r.Refused("other") != nil {
		t.Error("a name that is known, or was never tried, has a reason")
	}
}
