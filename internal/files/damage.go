package files

import "errors"

// Damage is the error of a file that isn't as it was written. Its cure is apart, because a caller
// may know a better one: a run without weights can't measure again what is lost.
type Damage struct {
	Found error // what is wrong with which file
	Cure  string
}

// Error returns what was found and the cure.
func (d *Damage) Error() string { return d.Found.Error() + ": " + d.Cure }

func (d *Damage) Unwrap() error { return d.Found }

// Cured returns an error about damage with another cure, and every other error as it is.
func Cured(err error, cure string) error {
	if damage, is := errors.AsType[*Damage](err); is {
		return &Damage{damage.Found, cure}
	}
	return err
}
