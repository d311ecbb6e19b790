package engine_test

import (
	"fmt"
	"log"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/nbbnn/workbench/internal/engine"
)

// Every graph of the process is built for the same engine.
func ExampleOpen() {
	e, err := engine.Open()
	if err != nil {
		log.Fatal(err)
	}
	double := MustNewExec(e.Backend, func(x *Node) *Node { return Add(x, x) })
	fmt.Println(double.MustCall1([]float32{1, 2, 3}).Value())
	// Output: [2 4 6]
}
