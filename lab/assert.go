package lab

import (
	"errors"
	"fmt"
)

// Assert prints a sentence with a check mark if it is true, or ends the cell with a message. Text
// and numbers of a notebook can't contradict each other if its sentences are asserted:
//
//	lab.Assert(own < foreign, "M16 does better on its own corruptions than on those of M32")
func Assert(isTrue bool, sentence string) {
	Check(untrue(isTrue, sentence))
	fmt.Println("✓ " + sentence)
}

// untrue returns an error unless the sentence is true.
func untrue(isTrue bool, sentence string) error {
	if isTrue {
		return nil
	}
	return errors.New("lab: with these networks and images it isn't true that " + sentence)
}
