package main

import (
	"bytes"
	"context"
	_ "embed" // home.js
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/corrupt"
	"github.com/nbbnn/workbench/internal/plain"
	"github.com/nbbnn/workbench/internal/shapes10"
)

// The content of home.js: the networks, an image on which MAP is sure and wrong, and the number and
// severity of the images to guess.
var doorNetworks = []struct{ File, Name string }{{"map", "MAP"}, {"gamma-0", "γ = 0"},
	{"gamma-16", "γ = 16"}}

const (
	firstImage = 4
	roundCount = 10
	snowiness  = 4
)

//go:embed home/home.js
var homeScript []byte

// scene is an image with the answers of the networks, [networks][classes].
type scene struct {
	Image   string      `json:"image"`
	Truth   int         `json:"truth"`
	Answers [][]float64 `json:"answers"`
}

// door asks networks about the images of the home page.
type door struct {
	networks []plain.Network
	pixels   []uint8 // of all images
	labels   []uint8
}

// putHome writes the home page's content.
func (s *site) putHome() error {
	var d door
	var names []string
	for _, n := range doorNetworks {
		file, err := os.ReadFile(filepath.Join(root, "lab/explorer/networks",
			n.File+".safetensors"))
		if err != nil {
			return err
		}
		network, err := plain.Read(file)
		if err != nil {
			return err
		}
		d.networks, names = append(d.networks, network), append(names, n.Name)
	}
	d.labels = make([]uint8, firstImage+1+roundCount)
	d.pixels = make([]uint8, len(d.labels)*shapes10.Side*shapes10.Side*3)
	if err := shapes10.First.Draw(context.Background(), 0, shapes10.Test, d.pixels,
		d.labels); err != nil {
		return err
	}
	const severities = 6 // of the first image, with the clean one
	var scenes []scene
	for i := range severities + roundCount {
		number, severity := firstImage, i
		if i >= severities {
			number, severity = firstImage+1+i-severities, snowiness
		}
		asked, err := d.ask(s, number, severity)
		if err != nil {
			return err
		}
		scenes = append(scenes, asked)
	}
	deck, err := json.Marshal(map[string]any{"classes": shapes10.Classes(), "networks": names,
		"first": scenes[:severities], "rounds": scenes[severities:], "level": snowiness})
	return errors.Join(err, s.put("home/home.js", homeScript),
		s.put("home/deck.js", append([]byte("const deck = "), deck...)))
}

// ask writes an image under snow, and returns it with the answers of the networks.
func (d door) ask(s *site, number, severity int) (scene, error) {
	size := corrupt.Size{Height: shapes10.Side, Width: shapes10.Side}
	pixels := d.pixels[number*size.Values():][:size.Values()]
	var err error
	if severity > 0 {
		pixels, err = corrupt.Apply(context.Background(), corrupt.Config{Corruption: "snow",
			Severity: severity, Table: corrupt.CIFAR}, size, pixels)
		if err != nil {
			return scene{}, err
		}
	}
	asked := scene{Image: fmt.Sprintf("%d-%d.png", number, severity), Truth: int(d.labels[number])}
	for _, network := range d.networks {
		var rounded []float64
		for _, p := range network.Answer(size.Height, size.Width, pixels) {
			rounded = append(rounded, float64(int(1000*p+0.5))/1000)
		}
		asked.Answers = append(asked.Answers, rounded)
	}
	picture := image.NewNRGBA(image.Rect(0, 0, size.Width, size.Height))
	for i := range size.Width * size.Height {
		picture.SetNRGBA(i%size.Width, i/size.Width, color.NRGBA{pixels[3*i], pixels[3*i+1],
			pixels[3*i+2], 255})
	}
	var encoded bytes.Buffer
	err = png.Encode(&encoded, picture)
	return asked, errors.Join(err, s.put("home/"+asked.Image, encoded.Bytes()))
}
