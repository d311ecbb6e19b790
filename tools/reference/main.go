// Command reference writes the reference of all public packages as static pages: doc comments,
// declarations, and examples with their code, their output and the pictures that they draw. The
// pages need no server and no scripts. `make docs` starts it in the folder of the module:
//
//	reference out/docs
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("reference: give the folder of the pages")
	}
	count, err := write(".", os.Args[1])
	if err != nil {
		log.Fatal("reference: ", err)
	}
	fmt.Printf("wrote    %s   %d packages\n", filepath.Join(os.Args[1], "index.html"), count)
}

// write writes the pages of the module in a folder, and returns the number of its public packages.
func write(root, out string) (count int, err error) {
	packages, err := readPackages(root)
	if err != nil {
		return 0, err
	}
	if err := os.MkdirAll(filepath.Join(out, pictureFolder), 0o755); err != nil {
		return 0, err
	}
	for _, p := range packages {
		for name, from := range p.pictures {
			data, err := os.ReadFile(from)
			if err == nil {
				err = files.WriteBytes(filepath.Join(out, pictureFolder, name), data)
			}
			if err != nil {
				return 0, err
			}
		}
		if err := writePage(filepath.Join(out, p.page()), "package", p); err != nil {
			return 0, fmt.Errorf("%s: %w", p.path, err)
		}
	}
	return len(packages), writePage(filepath.Join(out, "index.html"), "index", packages)
}
