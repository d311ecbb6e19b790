// Package ipynb keeps the notebooks reviewable: their source is markdown with fenced Go cells, from
// which it writes the .ipynb file that Jupyter opens, the same bytes every time.
//
// Parse reads a source, Encode writes the notebook without outputs, Review reports what does not
// read as a notebook of this project should, Vet runs go vet over the cells, and Verify says
// whether a notebook with outputs still belongs to its source.
//
// A source begins with a header that Jupytext understands too. A Go cell whose fence reads
//
//	```go tags=["figure"]
//
// has to show at least one picture when it runs. "go run ./tools/notebook" offers this on
// the command line.
package ipynb
