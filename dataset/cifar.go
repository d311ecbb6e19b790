package dataset

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/sources"
)

// Sides and bytes of an image of CIFAR, which is stored as a red, a green and a blue plane, row by
// row.
const (
	cifarSide  = 32
	cifarPlane = cifarSide * cifarSide
	cifarImage = channels * cifarPlane
)

type cifarSet struct {
	name, title string
	classes     []string
	mean, std   [channels]float64 // METHOD.md 4
	train, test []cifarFile       // flat binary ones
	labelBytes  int               // of a record, the class last
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
	train: []cifarFile{{"data_batch_1.bin", 10_000}, {"data_batch_2.bin", 10_000},
		{"data_batch_3.bin", 10_000}, {"data_batch_4.bin", 10_000}, {"data_batch_5.bin", 10_000}},
	test: []cifarFile{{"test_batch.bin", 10_000}}, labelBytes: 1,
}

// cifar100 is in two files. Each image has a coarse label, one of twenty, and the fine one that
// counts.
var cifar100 = cifarSet{
	name: CIFAR100, title: "CIFAR-100",
	classes: cifar100Classes,
	mean:    [channels]float64{0.5071, 0.4865, 0.4409},
	std:     [channels]float64{0.2673, 0.2564, 0.2762},
	train:   []cifarFile{{"train.bin", 50_000}},
	test:    []cifarFile{{"test.bin", 10_000}}, labelBytes: 2,
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
	train, err := reader.read(ctx, s.train, config.TrainCount)
	if err != nil {
		return nil, err
	}
	test, err := reader.read(ctx, s.test, config.TestCount)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name: s.name, Classes: append([]string(nil), s.classes...), Train: train, Test: test,
		Mean: s.mean, Std: s.std,
		Source: fmt.Sprintf("%s, official binary version (%s)", s.title, reader.source.Folder),
	}, nil
}

// reader finds the folder that holds at least one of the files.
func (s cifarSet) reader(directory string) (cifarReader, error) {
	source, err := sources.ByName(s.name)
	if err != nil {
		return cifarReader{}, err
	}
	for _, folder := range []string{filepath.Join(directory, source.Folder), directory} {
		if s.begunIn(folder) {
			return cifarReader{s, source, folder}, nil
		}
	}
	return cifarReader{}, sources.Missing(s.name, directory)
}

func (s cifarSet) begunIn(folder string) bool {
	return slices.ContainsFunc(slices.Concat(s.test, s.train), func(file cifarFile) bool {
		info, err := os.Stat(filepath.Join(folder, file.name))
		return err == nil && info.Mode().IsRegular()
	})
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
