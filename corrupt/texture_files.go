package corrupt

import (
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"

	"github.com/nbbnn/workbench/internal/picture"
)

// textureFiles are the files of the reference, in the order of their numbers, with the MD5 sums of
// their bytes. The reference lists a sixth one but never uses it.
var textureFiles = []struct{ name, md5 string }{
	{"frost1.png", "6ead634ace1f366d77e87078b465863c"},
	{"frost2.png", "98f0d2b1d74a048d3bc9c7ecfd886939"},
	{"frost3.png", "b3ed8eb147824261888e730f916c0d8b"},
	{"frost4.jpg", "d70b9d6aa0b1fe7bd8133b113787e078"},
	{"frost5.jpg", "50984ae2c871b7df2c28f1d71ca460a0"},
}

// readTextures reads the reference's textures from a folder and scales them.
func readTextures(folder string, factor float64) ([]*texture, error) {
	var textures []*texture
	for _, file := range textureFiles {
		data, err := os.ReadFile(filepath.Join(folder, file.name))
		if err != nil {
			return nil, fmt.Errorf("corrupt: frost texture: %w: leave Textures empty for textures of our own", err)
		}
		if sum := md5.Sum(data); hex.EncodeToString(sum[:]) != file.md5 {
			return nil, fmt.Errorf("corrupt: frost texture %s has MD5 %x, want %s: it's not the reference's file", filepath.Join(folder, file.name), sum, file.md5)
		}
		decoded, err := picture.Decode(data)
		if err != nil {
			return nil, fmt.Errorf("corrupt: frost texture %s: %w", file.name, err)
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
