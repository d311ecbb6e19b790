package corrupt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"math"
	"math/rand/v2"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/picture"
	"github.com/nbbnn/workbench/internal/sources"
)

// frostMix is the weight of the image and of the texture.
var frostMix = levels[struct{ image, texture float64 }]{
	CIFAR:    {{1, .2}, {1, .3}, {.9, .4}, {.85, .4}, {.75, .45}},
	Tiny:     {{1, .3}, {.9, .4}, {.8, .45}, {.75, .5}, {.7, .55}},
	ImageNet: {{1, .4}, {.8, .6}, {.7, .7}, {.65, .7}, {.6, .75}},
}

// frostScale is the scale of textures, and the side of the images for which it's meant.
var frostScale = [3]struct {
	factor, side float64
}{CIFAR: {.2, 32}, Tiny: {.3, 64}, ImageNet: {1, 224}}

// frost lays a random part of a texture over the image (CORRUPT.md 3).
type frost struct {
	size           Size
	textures       []*texture
	image, texture [256]float64 // a byte times its weight
}

func newFrost(setup setup) operator {
	mix := frostMix.at(setup)
	c := &frost{size: setup.size, textures: setup.textures}
	for v := range 256 {
		c.image[v] = mix.image * float64(v)
		c.texture[v] = mix.texture * float64(v)
	}
	return c
}

// frostFactor is by how much textures are scaled for images of one size: in proportion to the
// longer side, so that every texture is larger than the image.
func frostFactor(table Table, size Size) float64 {
	scale := frostScale[table]
	return scale.factor * (float64(max(size.Height, size.Width)) / scale.side)
}

// draw chooses the texture, then the row and the column where the part begins.
func (c *frost) draw(rng *rand.Rand, _ []uint8, draws *draws) {
	draws.texture = rng.IntN(len(c.textures))
	texture := c.textures[draws.texture]
	draws.row = rng.IntN(max(1, texture.height-c.size.Height))
	draws.column = rng.IntN(max(1, texture.width-c.size.Width))
}

func (c *frost) apply(image []uint8, draws *draws, out []uint8) {
	texture, length := c.textures[draws.texture], 3*c.size.Width
	for y := range c.size.Height {
		row := image[y*length : (y+1)*length]
		part := texture.pixels[3*((draws.row+y)*texture.width+draws.column):]
		c.applyRow(row, part, out[y*length:])
	}
}

func (c *frost) applyRow(row, part, out []uint8) {
	part, out = part[:len(row)], out[:len(row)]
	for i, v := range row {
		out[i] = uint8(int32(min(c.image[v]+c.texture[part[i]], 255)))
	}
}

// texture is a picture of frost, [height, width, 3] RGB.
type texture struct {
	height, width int
	pixels        []uint8
}

// resized scales a texture by a factor in the 8-bit bilinear arithmetic of OpenCV, which doesn't
// smooth before it shrinks (CORRUPT.md 3, frost).
func (t *texture) resized(factor float64) *texture {
	if factor == 1 {
		return t
	}
	rows := bilinearSources(t.height, factor)
	columns := bilinearSources(t.width, factor)
	out := &texture{len(rows), len(columns), make([]uint8, 3*len(rows)*len(columns))}
	upper, lower := make([]int, 3*out.width), make([]int, 3*out.width)
	for y, row := range rows {
		t.narrow(upper, row.first, columns)
		t.narrow(lower, row.second, columns)
		for i := range upper {
			sum := (row.weights[0]*(upper[i]>>4))>>16 + (row.weights[1]*(lower[i]>>4))>>16
			out.pixels[3*y*out.width+i] = uint8((sum + 2) >> 2)
		}
	}
	return out
}

// narrow mixes the columns of one row.
func (t *texture) narrow(out []int, y int, columns []bilinearSource) {
	row := t.pixels[3*y*t.width : 3*(y+1)*t.width]
	for x, column := range columns {
		for channel := range 3 {
			left, right := int(row[3*column.first+channel]), int(row[3*column.second+channel])
			out[3*x+channel] = column.weights[0]*left + column.weights[1]*right
		}
	}
}

// bilinearSource mixes two neighbouring positions; the weights have 11 fractional bits.
type bilinearSource struct {
	first, second int
	weights       [2]int
}

// bilinearSources returns the source of each position of an axis that is scaled by a factor.
func bilinearSources(length int, factor float64) []bilinearSource {
	sources := make([]bilinearSource, max(1, roundEven(float64(length)*factor)))
	for i := range sources {
		position := float32(float64((float64(i)+.5)*(1/factor)) - .5)
		whole := int(math.Floor(float64(position)))
		fraction := position - float32(whole)
		if whole < 0 || whole >= length-1 {
			whole, fraction = nearestBorder(whole, length), 0
		}
		weights := [2]int{roundEven(float64((1 - fraction) * 2048)),
			roundEven(float64(fraction * 2048))}
		sources[i] = bilinearSource{whole, min(whole+1, length-1), weights}
	}
	return sources
}

// readTextures reads the reference's textures from a folder, in the order of their numbers, and
// scales them. The reference lists a sixth one but never uses it.
func readTextures(folder string, factor float64) ([]*texture, error) {
	reference, err := sources.ByName("frost")
	if err != nil {
		return nil, err
	}
	var textures []*texture
	for _, file := range reference.Members {
		path := filepath.Join(folder, file.Path)
		data, err := files.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("corrupt: frost texture: %w: give none (Textures) for "+
				"textures of our own", err)
		}
		if sum := md5.Sum(data); hex.EncodeToString(sum[:]) != file.MD5 {
			return nil, fmt.Errorf("corrupt: frost texture %s has MD5 %x, want %s: it's not the "+
				"reference's file", path, sum, file.MD5)
		}
		decoded, err := picture.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("corrupt: frost texture %s: %w", file.Path, err)
		}
		textures = append(textures, opaqueTexture(decoded).resized(factor))
	}
	return textures, nil
}

// opaqueTexture takes the colours as they are stored, not multiplied by their opacity.
func opaqueTexture(picture image.Image) *texture {
	bounds := picture.Bounds()
	t := &texture{height: bounds.Dy(), width: bounds.Dx()}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			c := color.NRGBAModel.Convert(picture.At(x, y)).(color.NRGBA)
			t.pixels = append(t.pixels, c.R, c.G, c.B)
		}
	}
	return t
}
