package dataset

// How hard Shapes10 is. These numbers are tuned so that a narrow All-CNN-C (24 and 48 channels), trained on 4,000 images
// for a few thousand steps of 16, gets roughly nine in ten of the test images right, and so that noise, blur and a loss of
// contrast hurt. Lengths are in pixels, colours in 0..1. A change changes every image, and so the constants that the tests
// check.
const (
	smallestRadius = 7.0 // of the subject, which is a little larger than the disc of this radius
	largestRadius  = 11.0
	strongestPress = 1.15 // factor by which the subject is pressed along one axis and stretched along the other
	steepestTurn   = 0.4  // slope by which the subject is turned from upright
	roundestCorner = 0.1  // of the subject, in units of its radius

	darkest            = 0.12 // channel of the background
	brightest          = 0.35
	weakestContrast    = 0.12 // distance of the colours of subject and background, with most clutter
	strongestContrast  = 0.6  // the same without clutter
	textureContrast    = 0.18 // distance of the two colours of a texture, with most clutter
	distractorContrast = 0.3  // greatest distance of the colours of a distractor and the background
	shortestWave       = 3.0  // wavelength of textures
	longestWave        = 9.0
	mostDistractors    = 2 // things behind the subject, with most clutter

	darkestShadow  = 0.4  // share of the light that a shadow takes
	steepestLight  = 0.3  // change of the light from the centre of the image to its edge
	strongestBevel = 0.3  // change of the light on the slanted rim of the subject
	strongestBlur  = 0.2  // share of a 3x3 binomial filter
	strongestGrain = 0.01 // standard deviation of the noise of each channel
)
