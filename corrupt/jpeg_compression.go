package corrupt

// jpegCompressionQuality is the quality setting, 1 to 100.
var jpegCompressionQuality = levels[int32]{
	CIFAR:    {80, 65, 58, 50, 40},
	Tiny:     {65, 58, 50, 40, 25},
	ImageNet: {25, 18, 15, 10, 7},
}

// jpegCompression leaves what a JPEG file of low quality keeps of the image (CORRUPT.md 4). It
// doesn't use image/jpeg, whose arithmetic changes between Go releases.
type jpegCompression struct {
	deterministic
	luminance, chrominance *quantiser
	image                  *ycc
}

func newJPEGCompression(setup setup) operator {
	quality := jpegCompressionQuality.at(setup)
	return &jpegCompression{
		luminance:   newQuantiser(&luminanceSteps, quality),
		chrominance: newQuantiser(&chrominanceSteps, quality),
		image:       newYCC(setup.size),
	}
}

func (c *jpegCompression) apply(image []uint8, _ *draws, out []uint8) {
	c.image.encode(image)
	c.image.luma.compress(c.luminance)
	c.image.blue.compress(c.chrominance)
	c.image.red.compress(c.chrominance)
	c.image.decode(out)
}
