package lab

import (
	"fmt"
)

func ExampleAssert() {
	Assert(1+1 == 2, "one and one are two")
	fmt.Println(untrue(false, "one and one are three"))
	// Output:
	// ✓ one and one are two
	// lab: with these networks and images it isn't true that one and one are three
}

func ExampleGuess() {
	answer := Guess("lower", "lower", "higher")
	answer("lower")
	answer("higher")
	answer = Guess("", "lower", "higher")
	answer("higher")
	fmt.Println(checkChoice("guess", "low", `"lower", "higher"`, []string{"lower", "higher"}))
	// Output:
	// You guessed "lower", and so it is.
	// You guessed "lower". It is "higher": what did you expect, and why?
	// Your guess? Write one of "lower", "higher" between the first quotes of lab.Guess, and run the cell again.
	// The answer is "higher".
	// lab: the guess "low" is none of the choices: write one of "lower", "higher"
}
