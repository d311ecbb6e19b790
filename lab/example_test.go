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
	Guess("snow", "Does snow make the error larger?", "yes", "no")
	Answer("snow", "yes")
	// Output:
	// Does snow make the error larger? yes / no
	// The answer is "yes".
}
