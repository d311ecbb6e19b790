package fetch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/nbbnn/workbench/cmd/fetch"
	"github.com/nbbnn/workbench/internal/sources"
)

// Get downloads, checks and unpacks; a second call continues where the first one stopped.
func ExampleGet() {
	source, err := sources.ByName("cifar10")
	if err != nil {
		log.Fatal(err)
	}
	directory, err := sources.Directory("")
	if err != nil {
		log.Fatal(err)
	}
	progress := func(step, file string, done, total int64) {
		fmt.Println(step, file, done, "of", total)
	}
	if err := fetch.Get(context.Background(), source, directory, progress); err != nil {
		log.Fatal(err)
	}
}
