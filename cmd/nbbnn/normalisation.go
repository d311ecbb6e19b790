package main

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/dataset"
)

// normalisation is the value of the flag --normalisation.
type normalisation dataset.Normalisation

// The normalisations that have a name: that of torchvision's networks for ImageNet, and pixels from
// 0 to 1 as they are.
var normalisations = map[string]normalisation{
	"imagenet": {Mean: [3]float64{0.485, 0.456, 0.406}, Std: [3]float64{0.229, 0.224, 0.225}},
	"none":     {Std: [3]float64{1, 1, 1}},
}

// Type names the value in the help text.
func (n *normalisation) Type() string { return "MEANS/STDS" }

// String returns the text that Set reads, "" for the data set's own normalisation.
func (n *normalisation) String() string {
	if *n == (normalisation{}) {
		return ""
	}
	return dataset.Normalisation(*n).String()
}

// Set reads a name, or three means and three standard deviations.
func (n *normalisation) Set(text string) error {
	if named, known := normalisations[text]; known || text == "" {
		*n = named
		return nil
	}
	means, stds, both := strings.Cut(text, "/")
	if !both || !readThree(means, &n.Mean) || !readThree(stds, &n.Std) {
		return fmt.Errorf("%q isn't three means and three standard deviations: write 0.4914,0.4822,0.4465/0.2470,0.2435,0.2616, imagenet or none", text)
	}
	return nil
}

// readThree reads three numbers separated by commas, and reports whether there are three.
func readThree(text string, numbers *[3]float64) bool {
	parts := strings.Split(text, ",")
	if len(parts) != len(numbers) {
		return false
	}
	for i, part := range parts {
		var err error
		if numbers[i], err = strconv.ParseFloat(strings.TrimSpace(part), 64); err != nil {
			return false
		}
	}
	return true
}
