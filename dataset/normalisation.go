package dataset

import (
	"cmp"
	"fmt"

	"github.com/nbbnn/workbench/internal/check"
)

// Normalisation normalises the pixels of an image: value c of a pixel, from 0 to 1, becomes (value
// - Mean[c]) / Std[c]. The zero value means the data set's own.
type Normalisation struct {
	Mean [3]float64 `json:"mean"`
	Std  [3]float64 `json:"std"`
}

// String returns the three means and the three standard deviations, "0.5,0.5,0.5/0.25,0.25,0.25".
func (n Normalisation) String() string {
	texts := [2]string{}
	for i, values := range [][3]float64{n.Mean, n.Std} {
		texts[i] = fmt.Sprintf("%.6g,%.6g,%.6g", values[0], values[1], values[2])
	}
	return texts[0] + "/" + texts[1]
}

// Validate returns an error if a normalisation that isn't zero has a mean outside 0 to 1 or a
// standard deviation that isn't positive.
func (n Normalisation) Validate() error {
	if n == (Normalisation{}) {
		return nil
	}
	for c := range n.Mean {
		if err := cmp.Or(
			check.Range("mean of the pixels", n.Mean[c], "[0,1]"),
			check.Range("standard deviation of the pixels", n.Std[c], "(0,1e38)"),
		); err != nil {
			return err
		}
	}
	return nil
}
