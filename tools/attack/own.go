package main

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/nbbnn/workbench/internal/files"
)

// Folders of a scene with a user's own images.
const (
	picturesFolder = "pictures" // a folder of PNG files for each class
	ownData        = "own-data" // data sets that were added
	ownRuns        = "own-runs" // trained on them
	ownSet         = "own-c"    // corrupted images without a manifest
	ownSetRuns     = "own-c-runs"
)

// ownEnvironment lets commands find the added data set inside the folder in which they run.
var ownEnvironment = []string{"NBBNN_DATA=" + ownData}

var ownTraining = []string{
	"train", "--data", "own", "--network", "allcnnc", "--width", "4", "--epochs", "1", "--batch", "8", "--no-test", "--json", "--runs", ownRuns,
}

// addOwn makes pictures, a data set of them with a run, and corrupted images without a manifest
// that a run was tested on.
func (s *scene) addOwn(ctx context.Context) error {
	if err := writePictures(filepath.Join(s.folder, picturesFolder)); err != nil {
		return err
	}
	own := s.program.with(ownEnvironment...)
	if _, err := own.succeed(ctx, s.folder, "data", "add", "own", picturesFolder); err != nil {
		return err
	}
	got, err := own.succeed(ctx, s.folder, ownTraining...)
	if err != nil {
		return err
	}
	if s.own, err = runOf(got); err != nil {
		return err
	}
	if err := copyTree(filepath.Join(s.folder, setFolder), filepath.Join(s.folder, ownSet)); err != nil {
		return err
	}
	if err := os.Remove(filepath.Join(s.folder, ownSet, "manifest.json")); err != nil {
		return err
	}
	first := s.finished[0]
	if err := copyTree(filepath.Join(s.folder, runsFolder, first), filepath.Join(s.folder, ownSetRuns, first)); err != nil {
		return err
	}
	_, err = s.program.succeed(ctx, s.folder, s.ownSetTest()...)
	return err
}

// ownSetTest returns the command that tests a run on the corrupted images.
func (s *scene) ownSetTest() []string {
	return slices.Concat([]string{"evaluate", s.finished[0], "--runs", ownSetRuns, "--corrupted", ownSet}, evaluation, asJSON)
}

// writePictures writes ten pictures of noise for each of two classes.
func writePictures(folder string) error {
	const side, each = 16, 10
	random := rand.New(rand.NewPCG(16, 10))
	for _, class := range []string{"left", "right"} {
		if err := os.MkdirAll(filepath.Join(folder, class), 0o755); err != nil {
			return err
		}
		for i := range each {
			picture := noisePicture(random, side)
			path := filepath.Join(folder, class, fmt.Sprintf("%d.png", i))
			if err := files.Write(path, func(w io.Writer) error { return png.Encode(w, picture) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// noisePicture returns an opaque square of random colours.
func noisePicture(random *rand.Rand, side int) *image.NRGBA {
	picture := image.NewNRGBA(image.Rect(0, 0, side, side))
	for at := range picture.Pix {
		picture.Pix[at] = byte(random.IntN(256))
		if at%4 == 3 {
			picture.Pix[at] = 255
		}
	}
	return picture
}

// pictureVictims are a user's own pictures.
func (s *scene) pictureVictims() victims {
	picture := filepath.Join(picturesFolder, "left", "3.png")
	return victims{
		name: "own pictures", parts: []string{picturesFolder}, files: []string{picture}, environment: ownEnvironment,
		readers: []reader{
			{arguments: []string{"corrupt", "show", picture, "--suite", "fog", "--out", "sheet.png"}, writes: []string{"sheet.png"}},
			command([]string{"data", "add", "again", picturesFolder}),
		},
	}
}

// dataVictims are the files of a data set that a user added.
func (s *scene) dataVictims() victims {
	v := victims{
		name: "own data set", parts: []string{ownData, ownRuns}, environment: ownEnvironment, called: `the set "own" is damaged`,
		readers: []reader{
			command([]string{"data", "verify", "own"}),
			command([]string{"evaluate", s.own, "--runs", ownRuns, "--clean", "--samples", "2", "--images", "4"}, asJSON),
			command(ownTraining, []string{"--seed", "2"}),
		},
	}
	for _, name := range []string{"manifest.json", "train_images.npy", "train_labels.npy", "test_images.npy", "test_labels.npy"} {
		v.files = append(v.files, filepath.Join(ownData, "sets", "own", name))
	}
	return v
}

// ownSetVictims are corrupted images without a manifest. Nothing can say that they are damaged, but
// results have to name other images than before.
func (s *scene) ownSetVictims() victims {
	return victims{
		name: "own corrupted images", parts: []string{ownSet, filepath.Join(ownSetRuns, s.finished[0])},
		files:   []string{filepath.Join(ownSet, "fog.npy"), filepath.Join(ownSet, "labels.npy")},
		readers: []reader{{arguments: s.ownSetTest(), identity: s.imagesOnCard}},
	}
}

// imagesOnCard returns what the run's card calls the images of the latest test, such as
// own-c-49fdbf8d.
func (s *scene) imagesOnCard(folder string) string {
	data, err := os.ReadFile(filepath.Join(folder, ownSetRuns, s.finished[0], "card.json"))
	var card struct {
		Evaluation struct {
			Corrupted string `json:"corrupted"`
		} `json:"evaluation"`
	}
	if err != nil || json.Unmarshal(data, &card) != nil {
		return ""
	}
	return card.Evaluation.Corrupted
}

// runOf returns the name of the run whose card a training has printed.
func runOf(training answer) (string, error) {
	var card struct {
		Run string `json:"run"`
	}
	if err := json.Unmarshal([]byte(training.Out), &card); err != nil {
		return "", fmt.Errorf("attack: the card of a training can't be read: %w", err)
	}
	return card.Run, nil
}
