package dataset

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nbbnn/workbench/internal/check"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/internal/sources"
)

// Limits of a data set that a user adds.
const (
	MinClasses = 2
	MaxClasses = 256 // labels are bytes

	maxClassName = 200 // bytes
)

// errName is wrapped by the error of a name that no added set can have.
var errName = errors.New("choose another name")

var validName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,63}$`)

// CheckName returns an error if no user can add a data set with this name.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("dataset: a data set can't be named %.80q: %w of up to 64 lower-case "+
			"letters, digits, '.', '-' and '_'%s", name, errName, similarName(name))
	}
	if slices.Contains(Names(), name) || slices.Contains(sources.Names(), name) {
		return fmt.Errorf("dataset: the name %q belongs to a built-in data set: %w, for example "+
			"my-%s", name, errName, name)
	}
	return nil
}

// similarName suggests a valid name similar to an invalid one, "" if there is none.
func similarName(name string) string {
	similar := regexp.MustCompile(`[^a-z0-9._]+`).ReplaceAllString(strings.ToLower(name), "-")
	similar = strings.TrimLeft(strings.TrimRight(similar, "-"), "-._")
	if !validName.MatchString(similar) {
		return ""
	}
	return ", for example " + similar
}

// check returns an error if the images, labels and classes are no data set.
func (d *Dataset) check() error {
	if err := checkClasses(d.Classes); err != nil {
		return err
	}
	if err := check.Size(d.Train.Height, d.Train.Width); err != nil {
		return err
	}
	for _, part := range []struct {
		name   string
		images Images
	}{{"training", d.Train}, {"test", d.Test}} {
		if err := d.checkImages(part.name, part.images); err != nil {
			return err
		}
	}
	for label, count := range countLabels(d.Train.Labels, len(d.Classes)) {
		if count == 0 {
			return fmt.Errorf("dataset: class %q has no training image: add some, or remove the "+
				"class", d.Classes[label])
		}
	}
	return nil
}

// checkClasses checks the number of classes and their names.
func checkClasses(classes []string) error {
	if len(classes) < MinClasses || len(classes) > MaxClasses {
		return fmt.Errorf("dataset: %s classes: give %d to %d, because labels are bytes; merge "+
			"classes or leave some out",
			quantity.Thousands(len(classes)), MinClasses, MaxClasses)
	}
	for i, class := range classes {
		if class == "" || len(class) > maxClassName || !utf8.ValidString(class) ||
			strings.ContainsFunc(class, unicode.IsControl) || slices.Contains(classes[:i], class) {
			return fmt.Errorf("dataset: class %d is named %.100q: give each class a name of its "+
				"own, of up to %d bytes of UTF-8 without line breaks and other control characters",
				i, class, maxClassName)
		}
	}
	return nil
}

func (d *Dataset) checkImages(part string, images Images) error {
	switch _, err := images.Labelled(); {
	case images.Count() == 0:
		return fmt.Errorf("dataset: no %s images: give at least one", part)
	case images.Height != d.Train.Height || images.Width != d.Train.Width:
		return fmt.Errorf("dataset: %s images of %dx%d pixels, training images of %dx%d: give "+
			"one size", part, images.Height, images.Width, d.Train.Height, d.Train.Width)
	case err != nil:
		return err
	}
	for i, label := range images.Labels {
		if int(label) >= len(d.Classes) {
			return fmt.Errorf("dataset: label %d of %s image %d: give 0 to %d, one of the %d "+
				"classes", label, part, i, len(d.Classes)-1, len(d.Classes))
		}
	}
	return nil
}

// countLabels returns the number of images of each class.
func countLabels(labels []uint8, classes int) []int {
	counts := make([]int, classes)
	for _, label := range labels {
		counts[label]++
	}
	return counts
}

// describe returns the manifest of a checked set, and fills in what a manifest adds to the set.
func (d *Dataset) describe() Manifest {
	if d.Source == "" {
		d.Source = "added by a program"
	}
	d.Source = strings.ToValidUTF8(d.Source, "?")
	d.Mean, d.Std = moments(d.Train)
	d.Hash = d.addedHash()
	m := Manifest{
		Name: d.Name, Source: d.Source, Height: d.Train.Height, Classes: slices.Clone(d.Classes),
		Train: countLabels(d.Train.Labels, len(d.Classes)), Test: countLabels(d.Test.Labels,
			len(d.Classes)),
		Mean: d.Mean, Std: d.Std, Hash: d.Hash,
	}
	if d.Train.Width != m.Height {
		m.Width = d.Train.Width
	}
	return m
}

// moments returns the mean and standard deviation of each channel, of values in 0..1. They are
// summed as integers, so that the order of the images doesn't matter. A constant channel gets a
// deviation of 1, with which normalisation maps it to 0.
func moments(images Images) (mean, std [channels]float64) {
	var sum, squares [channels]uint64
	for i, value := range images.Pixels {
		sum[i%channels] += uint64(value)
		squares[i%channels] += uint64(value) * uint64(value)
	}
	count := float64(len(images.Pixels) / channels)
	for channel := range channels {
		average := float64(sum[channel]) / count
		mean[channel] = average / 255
		std[channel] = math.Sqrt(max(0, float64(squares[channel])/count-
			float64(average*average))) / 255
		if std[channel] < 1e-6 {
			std[channel] = 1
		}
	}
	return mean, std
}
