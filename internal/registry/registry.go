// Package registry holds what a program adds to its built-in networks and methods, by name. The
// configuration of a run has the name and a fingerprint, so that a changed definition is another run.
package registry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Registry is a list of values with names. Several goroutines may use it.
type Registry[T any] struct {
	add     string // the function that adds, such as "network.Define"
	name    func(T) string
	builtIn []T

	mutex sync.RWMutex
	own   []T
}

// New returns a registry to which a function such as "network.Define" adds values.
func New[T any](add string, name func(T) string, builtIn ...T) *Registry[T] {
	return &Registry[T]{add: add, name: name, builtIn: builtIn}
}

// namePattern is the form of names, which are names in files and flags.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_]*$`)

// CheckName returns an error for a name that no value can have.
func (r *Registry[T]) CheckName(name string) error {
	if namePattern.MatchString(name) {
		return nil
	}
	return fmt.Errorf("%s: the name %q can't be used: choose lower-case letters, digits and underscores", r.room(), name)
}

// Add adds a value. The error says that its name is taken.
func (r *Registry[T]) Add(value T) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	name := r.name(value)
	if slices.ContainsFunc(slices.Concat(r.builtIn, r.own), func(other T) bool { return r.name(other) == name }) {
		return fmt.Errorf("%s: the name %q is taken: choose another", r.room(), name)
	}
	r.own = append(r.own, value)
	return nil
}

// room is the package of the function that adds.
func (r *Registry[T]) room() string {
	room, _, _ := strings.Cut(r.add, ".")
	return room
}

// All lists the built-in values, then those that were added, in that order.
func (r *Registry[T]) All() []T {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return slices.Concat(r.builtIn, r.own)
}

// Find returns the value of a name, or the zero value.
func (r *Registry[T]) Find(name string) (value T, found bool) {
	all := r.All()
	i := slices.IndexFunc(all, func(other T) bool { return r.name(other) == name })
	if i < 0 {
		return value, false
	}
	return all[i], true
}

// Names lists the names of All.
func (r *Registry[T]) Names() (names []string) {
	for _, value := range r.All() {
		names = append(names, r.name(value))
	}
	return names
}

// Undefined returns an error unless this program has the definition that a configuration was made
// with, of which have is the fingerprint; now is that of this program, "" for a built-in one. The text
// such as "the layers of small have" begins a sentence about a change.
func (r *Registry[T]) Undefined(name, have, now, text string) error {
	_, found := r.Find(name)
	switch {
	case have == now || found && now == "":
		return nil
	case !found:
		return fmt.Errorf("%s: this program doesn't define %q: run the program that trained it, or call %s in an init function (known: %s)",
			r.room(), name, r.add, strings.Join(r.Names(), ", "))
	}
	return fmt.Errorf("%s: %s changed: the configuration has the fingerprint %s, this program %s: restore the definition, "+
		"give the new one another name, or leave the fingerprint out for a new run",
		r.room(), text, have, now)
}

// CheckBuiltIn refuses a fingerprint of a built-in value, whose own is "".
func (r *Registry[T]) CheckBuiltIn(name, have, now string) error {
	if _, found := r.Find(name); have == "" || now != "" || !found {
		return nil
	}
	return fmt.Errorf("%s: %s is built in, but the configuration has the fingerprint %s: leave it out", r.room(), name, have)
}
