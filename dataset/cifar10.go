package dataset

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// CIFAR-10 in its official binary layout: five training files and one test file of 10,000 records, each one byte of label
// and then the red, the green and the blue plane of a 32x32 image, row by row.
const (
	cifarFolder      = "cifar-10-batches-bin"
	cifarArchive     = "cifar-10-binary.tar.gz"
	cifarArchiveSize = 170_052_171
	cifarArchiveMD5  = "c32a1d4ab5d03f1284b67883e8d87530"
	cifarAddress     = "https://www.cs.toronto.edu/~kriz/" + cifarArchive
	cifarSide        = 32
	cifarPlane       = cifarSide * cifarSide
	cifarRecord      = 1 + channels*cifarPlane
)

// cifarRecords is the number of records in a full file; tests use smaller files.
const cifarRecords = 10_000

var (
	cifarTrainFiles = []string{"data_batch_1.bin", "data_batch_2.bin", "data_batch_3.bin", "data_batch_4.bin", "data_batch_5.bin"}
	cifarTestFiles  = []string{"test_batch.bin"}
	cifarClasses    = []string{"airplane", "automobile", "bird", "cat", "deer", "dog", "frog", "horse", "ship", "truck"}
)

// openCIFAR10 reads as many of the files as the config needs (CORRUPT.md B; mean and deviation: METHOD.md 4).
func openCIFAR10(ctx context.Context, config Config) (*Dataset, error) {
	directory, err := Directory(config.Directory)
	if err != nil {
		return nil, err
	}
	reader := cifarReader{folder: cifarFolderIn(directory), records: cifarRecords}
	train, err := reader.read(ctx, cifarTrainFiles, config.TrainCount)
	if err != nil {
		return nil, err
	}
	test, err := reader.read(ctx, cifarTestFiles, config.TestCount)
	if err != nil {
		return nil, err
	}
	return &Dataset{
		Name:    CIFAR10,
		Classes: append([]string(nil), cifarClasses...),
		Train:   train,
		Test:    test,
		Mean:    [3]float64{0.4914, 0.4822, 0.4465},
		Std:     [3]float64{0.2470, 0.2435, 0.2616},
		Source:  "CIFAR-10, official binary version (" + cifarFolder + ")",
	}, nil
}

// Directory returns the directory of downloaded data: the given one, else NBBNN_DATA, else nbbnn in the user's cache.
func Directory(given string) (string, error) {
	if given != "" {
		return given, nil
	}
	if directory := os.Getenv("NBBNN_DATA"); directory != "" {
		return directory, nil
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("dataset: no cache directory (%w): set NBBNN_DATA to the directory of the data sets", err)
	}
	return filepath.Join(cache, "nbbnn"), nil
}

// cifarFolderIn returns the folder of the binary files: the directory itself when the files lie in it, else the official
// folder below it.
func cifarFolderIn(directory string) string {
	if _, err := os.Stat(filepath.Join(directory, cifarTestFiles[0])); err == nil {
		return directory
	}
	return filepath.Join(directory, cifarFolder)
}

// missingCIFAR says which file is missing and how to get it.
func missingCIFAR(path string) error {
	return fmt.Errorf("dataset: %s: %w: unpack %s (%s bytes, md5 %s) from %s in %s, or set NBBNN_DATA to where its folder %s is",
		path, fs.ErrNotExist, cifarArchive, thousands(cifarArchiveSize), cifarArchiveMD5, cifarAddress,
		filepath.Dir(filepath.Dir(path)), cifarFolder)
}
