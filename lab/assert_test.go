package lab

import "fmt"

func ExampleAssert() {
	Assert(1+1 == 2, "one and one are two")
	fmt.Println(untrue(false, "one and one are three"))
	// Output:
	// ✓ one and one are two
	// lab: with these networks and images it isn't true that one and one are three
}
