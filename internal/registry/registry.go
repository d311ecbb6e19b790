// Package registry holds a program's additions to the built-in networks and methods, by name. The
// configuration of a run has the name and a fingerprint, so that a changed definition is another
// run.
package registry

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/nbbnn/workbench/internal/quantity"
)

// Registry is a list of values with names, the built-in ones first. Several goroutines may use it.
type Registry[T any] struct {
	add  string // the function that adds, for example "network.Define"
	name func(T) string

	mutex   sync.RWMutex
	all     []T
	refused map[string]error // of names that aren't in all
}

// New returns a registry to which the function named add, for example "network.Define", adds
// values.
func New[T any](add string, name func(T) string, builtIn ...T) *Registry[T] {
	return &Registry[T]{add: add, name: name, all: builtIn, refused: map[string]error{}}
}

// namePattern is the form of names, which are names in files and flags.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_]*$`)

// Add adds a value. It fails if the name is taken or invalid.
func (r *Registry[T]) Add(value T) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	name := r.name(value)
	if !namePattern.MatchString(name) {
		return r.errorf("the name %q can't be used: choose lower-case letters, digits and "+
			"underscores", name)
	}
	if slices.ContainsFunc(r.all, func(other T) bool { return r.name(other) == name }) {
		return r.errorf("the name %q is taken: choose another", name)
	}
	r.all = append(slices.Clip(r.all), value)
	return nil
}

// Refuse keeps and returns the error of a value that can't be added, for Refused.
func (r *Registry[T]) Refuse(name string, err error) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.refused[name] = err
	return err
}

// Refused returns why a name wasn't added, in case a program ignored the error. It's nil for a name
// that was added or never tried.
func (r *Registry[T]) Refused(name string) error {
	_, found := r.Find(name)
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	if found {
		return nil
	}
	return r.refused[name]
}

// errorf returns an error of the package whose function adds.
func (r *Registry[T]) errorf(format string, values ...any) error {
	room, _, _ := strings.Cut(r.add, ".")
	return fmt.Errorf(room+": "+format, values...)
}

// All lists the values in the order in which they were added.
func (r *Registry[T]) All() []T {
	r.mutex.RLock()
	defer r.mutex.RUnlock()
	return r.all
}

// Names lists the names of All.
func (r *Registry[T]) Names() []string { return quantity.Texts(r.All(), r.name) }

// Find returns the value of a name, or the zero value.
func (r *Registry[T]) Find(name string) (value T, found bool) {
	for _, other := range r.All() {
		if r.name(other) == name {
			return other, true
		}
	}
	return value, false
}

// Undefined returns an error unless this program has a configuration's definition: have is the
// configuration's fingerprint, now this program's, "" for a built-in one. The text, for example
// "the layers of small have", begins a sentence about a change.
func (r *Registry[T]) Undefined(name, have, now, text string) error {
	_, found := r.Find(name)
	switch {
	case have == now:
		return nil
	case r.Refused(name) != nil:
		return r.Refused(name)
	case !found:
		return r.errorf("this program doesn't define %q: run the program that trained it, or "+
			"call %s in an init function (known: %s)",
			name, r.add, strings.Join(r.Names(), ", "))
	case now == "":
		return r.errorf("%s is built in, but the configuration has the fingerprint %s: leave it "+
			"out", name, have)
	}
	return r.errorf("%s changed: the configuration has the fingerprint %s, this program %s: "+
		"restore the definition, "+
		"give the new one another name, or leave the fingerprint out for a new run",
		text, have, now)
}
