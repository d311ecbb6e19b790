package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/nbbnn/workbench/internal/sources"
)

// Sides and bytes of an image of CIFAR, which both versions store as a red, a green and a blue
// plane, row by row.
const (
	cifarSide  = 32
	cifarPlane = cifarSide * cifarSide
	cifarImage = channels * cifarPlane
)

type cifarSet struct {
	name, title string
	classes     []string
	mean, std   [channels]float64 // METHOD.md 4
	versions    []cifarVersion    // the preferred one first
}

// cifarVersion is one of the two forms in which the sets are published: flat binary files, or
// pickles.
type cifarVersion struct {
	source      string // name of its Source
	kind        string // its name by the authors
	train, test []cifarFile
	labelBytes  int    // of a binary record, the class last; 0 in pickles
	labelKey    string // of a pickle's labels
}

// cifarFile is a file and the number of images in it.
type cifarFile struct {
	name    string
	records int
}

// cifar10 is in six files of 10,000 images.
var cifar10 = cifarSet{
	name: CIFAR10, title: "CIFAR-10",
	classes: strings.Fields("airplane automobile bird cat deer dog frog horse ship truck"),
	mean:    [channels]float64{0.4914, 0.4822, 0.4465},
	std:     [channels]float64{0.2470, 0.2435, 0.2616},
	versions: []cifarVersion{
		{source: "cifar10", kind: "binary", train: cifar10Batches(".bin"),
			test: []cifarFile{{"test_batch.bin", 10_000}}, labelBytes: 1},
		{source: "cifar10-python", kind: "Python", train: cifar10Batches(""),
			test: []cifarFile{{"test_batch", 10_000}}, labelKey: "labels"},
	},
}

func cifar10Batches(ending string) []cifarFile {
	files := make([]cifarFile, 5)
	for i := range files {
		files[i] = cifarFile{fmt.Sprintf("data_batch_%d%s", i+1, ending), 10_000}
	}
	return files
}

// cifar100 is in two files. Each image has a coarse label, one of twenty, and the fine one that
// counts.
var cifar100 = cifarSet{
	name: CIFAR100, title: "CIFAR-100",
	classes: cifar100Classes,
	mean:    [channels]float64{0.5071, 0.4865, 0.4409},
	std:     [channels]float64{0.2673, 0.2564, 0.2762},
	versions: []cifarVersion{
		{source: "cifar100", kind: "binary", train: []cifarFile{{"train.bin", 50_000}},
			test: []cifarFile{{"test.bin", 10_000}}, labelBytes: 2},
		{source: "cifar100-python", kind: "Python", train: []cifarFile{{"train", 50_000}},
			test: []cifarFile{{"test", 10_000}}, labelKey: "fine_labels"},
	},
}

// open reads as many of the files as the config needs (CORRUPT.md B).
func (s cifarSet) open(ctx context.Context, config Config) (*Dataset, error) {
	directory, err := sources.Directory(config.Directory)
	if err != nil {
		return nil, err
	}
	reader, err := s.reader(directory)
	if err != nil {
		return nil, err
	}
	train, err := reader.read(ctx, reader.version.train, config.TrainCount)
	if err != nil {
		return nil, err
	}
	test, err := reader.read(ctx, reader.version.test, config.TestCount)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name: s.name, Classes: append([]string(nil), s.classes...), Train: train, Test: test,
		Mean: s.mean, Std: s.std,
		Source: fmt.Sprintf("%s, official %s version (%s)", s.title, reader.version.kind,
			reader.source.Folder),
	}, nil
}

// reader finds the first version that a directory holds at least a file of.
func (s cifarSet) reader(directory string) (cifarReader, error) {
	for _, version := range s.versions {
		source, err := sources.ByName(version.source)
		if err != nil {
			return cifarReader{}, err
		}
		for _, folder := range []string{filepath.Join(directory, source.Folder), directory} {
			if version.begunIn(folder) {
				return cifarReader{s, version, source, folder}, nil
			}
		}
	}
	return cifarReader{}, sources.Missing(s.versions[0].source, directory)
}

func (v cifarVersion) begunIn(folder string) bool {
	for _, file := range append(v.test, v.train...) {
		if info, err := os.Stat(filepath.Join(folder, file.name)); err == nil &&
			info.Mode().IsRegular() {
			return true
		}
	}
	return false
}

// cifar100Classes are the names of the fine labels.
var cifar100Classes = strings.Fields(`
apple aquarium_fish baby bear beaver bed bee beetle bicycle bottle bowl boy bridge bus butterfly
camel can castle caterpillar cattle chair chimpanzee clock cloud cockroach couch crab crocodile
cup dinosaur dolphin elephant flatfish forest fox girl hamster house kangaroo keyboard lamp
lawn_mower leopard lion lizard lobster man maple_tree motorcycle mountain mouse mushroom oak_tree
orange orchid otter palm_tree pear pickup_truck pine_tree plain plate poppy porcupine possum
rabbit raccoon ray road rocket rose sea seal shark shrew skunk skyscraper snail snake spider
squirrel streetcar sunflower sweet_pepper table tank telephone television tiger tractor train
trout tulip turtle wardrobe whale willow_tree wolf woman worm`)
