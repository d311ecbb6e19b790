package augment

import (
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// run carries out an operation of operations.json.
func (c *canvas) run(name string, level float64) {
	switch name {
	case "autocontrast":
		c.autocontrast()
	case "equalise":
		c.equalise()
	case "posterise":
		c.posterise(int(level))
	case "solarise":
		c.solarise(int(level))
	case "rotate":
		c.rotate(int(level))
	case "shear_x":
		c.transform(affine{1, level, 0, 0, 1, 0})
	case "shear_y":
		c.transform(affine{1, 0, 0, level, 1, 0})
	case "translate_x":
		c.transform(affine{1, 0, level, 0, 1, 0})
	case "translate_y":
		c.transform(affine{1, 0, 0, 0, 1, level})
	}
}

// testdata/operations.py made the results with Pillow 13.0.0. They are equal to the last bit.
func TestOperationsEqualPillow(t *testing.T) {
	data := testkit.Must(os.ReadFile("testdata/operations.json"))(t)
	var golden struct {
		Images []struct {
			Name          string
			Height, Width int
			Pixels        []int
		}
		Cases []struct {
			Image, Operation string
			Level            float64
			Pixels           []int
		}
	}
	testkit.NoError(t, json.Unmarshal(data, &golden))
	seen := map[string]bool{}
	for _, test := range golden.Cases {
		for _, image := range golden.Images {
			if image.Name != test.Image {
				continue
			}
			c := newCanvas(image.Height, image.Width)
			for i, value := range image.Pixels {
				c.pixels[i] = uint8(value)
			}
			c.run(test.Operation, test.Level)
			for i, want := range test.Pixels {
				if int(c.pixels[i]) != want {
					t.Errorf("%s of %s by %g: value %d is %d, Pillow's %d", test.Operation,
						image.Name, test.Level, i, c.pixels[i], want)
					break
				}
			}
			seen[test.Operation] = true
		}
	}
	for _, operation := range operations {
		if !seen[operation.name] {
			t.Errorf("no case of %s", operation.name)
		}
	}
}

// At strength 0 nothing moves; what bends values is bounded by its formula.
func TestOperationsWithoutStrength(t *testing.T) {
	for _, operation := range operations[2:] {
		c := newCanvas(5, 6)
		for i := range c.pixels {
			c.pixels[i] = uint8(i * 16)
		}
		before := slices.Clone(c.pixels)
		operation.run(c, math.Copysign(0, -1))
		if operation.name == "posterise" { // keeps four bits, which these values have
			for i := range before {
				before[i] &= 0xf0
			}
		}
		if !slices.Equal(c.pixels, before) {
			t.Errorf("%s of strength 0 changes the image", operation.name)
		}
	}
}
