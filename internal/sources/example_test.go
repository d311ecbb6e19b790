package sources_test

import (
	"fmt"
	"log"

	"github.com/nbbnn/workbench/internal/sources"
)

// Every source says what to download and how to know it.
func ExampleByName() {
	source, err := sources.ByName("cifar10-c")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(source.Title, "unpacks to", source.Folder)
	fmt.Println(source.Archives[0])
	// Output:
	// CIFAR-10-C unpacks to CIFAR-10-C
	// CIFAR-10-C.tar from https://zenodo.org/records/2535967/files/CIFAR-10-C.tar (2,918,471,680 bytes, md5 56bf5dcef84df0e2308c6dcbcbbd8499)
}
