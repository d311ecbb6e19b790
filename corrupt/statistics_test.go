package corrupt

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// The statistics of a corrupted image that the golden files hold, in their order.
var statisticNames = [13]string{
	"mean difference", "mean absolute difference", "root mean square difference", "mean red",
	"mean green", "mean blue",
	"standard deviation", "horizontal variation", "vertical variation", "share of zeros",
	"share of 255s",
	"autocorrelation of the difference", "channel correlation of the difference",
}

// statisticsOf computes the 13 statistics.
func statisticsOf(image, out []uint8, size Size) (s [13]float64) {
	difference := make([]float64, len(image))
	var squares, sum float64
	count := float64(len(image))
	for i := range image {
		d, v := float64(out[i])-float64(image[i]), float64(out[i])
		difference[i] = d
		s[0] += d / count
		s[1] += math.Abs(d) / count
		s[2] += d * d / count
		s[3+i%3] += v / count * 3
		sum += v / count
		squares += v * v / count
		if out[i] == 0 {
			s[9] += 1 / count
		}
		if out[i] == 255 {
			s[10] += 1 / count
		}
	}
	s[2] = math.Sqrt(s[2])
	s[6] = math.Sqrt(squares - sum*sum)
	s[7], s[8] = variation(out, size)
	s[11], s[12] = differenceCorrelations(difference, s[0], size)
	return s
}

// variation is the mean absolute difference of neighbouring values across and down.
func variation(out []uint8, size Size) (across, down float64) {
	stride := 3 * size.Width
	for i, v := range out {
		if i%stride >= 3 {
			across += math.Abs(float64(v) - float64(out[i-3]))
		}
		if i >= stride {
			down += math.Abs(float64(v) - float64(out[i-stride]))
		}
	}
	return across / float64(3*size.Height*(size.Width-1)),
		down / float64(3*(size.Height-1)*size.Width)
}

// differenceCorrelations correlates the difference with itself one pixel to the right, relative to
// the variance of all values, and red with green.
func differenceCorrelations(difference []float64, mean float64, size Size) (across,
	channels float64) {
	var squares float64
	for i := range difference {
		difference[i] -= mean
		squares += difference[i] * difference[i]
		if i%(3*size.Width) >= 3 {
			across += difference[i] * difference[i-3]
		}
	}
	if squares == 0 {
		return 0, 0
	}
	pairs := float64(3 * size.Height * (size.Width - 1))
	return across / pairs / (squares / float64(len(difference))), redGreenCorrelation(difference)
}

func redGreenCorrelation(difference []float64) float64 {
	var red, green, redSquares, greenSquares, products float64
	for i := 0; i < len(difference); i += 3 {
		r, g := difference[i], difference[i+1]
		red, green = red+r, green+g
		redSquares, greenSquares, products = redSquares+r*r, greenSquares+g*g, products+r*g
	}
	count := float64(len(difference) / 3)
	variances := (redSquares - red*red/count) * (greenSquares - green*green/count)
	if variances <= 0 {
		return 0
	}
	return (products - red*green/count) / math.Sqrt(variances)
}

// statisticalCases are the corruptions with random draws and the total variation that their
// histograms may differ by.
var statisticalCases = []struct {
	corruption string
	variation  float64
}{
	{"gaussian_noise", .01}, {"shot_noise", .01}, {"impulse_noise", .01}, {"speckle_noise", .01},
	{"glass_blur", .05},
	{"motion_blur", .05}, {"snow", .05}, {"frost", .10}, {"fog", .05}, {"elastic_transform", .05},
	{"spatter", .05},
}

// TestOwnDrawsMatchTheReferenceInDistribution compares many images with the reference's means and
// histograms (golden.json).
func TestOwnDrawsMatchTheReferenceInDistribution(t *testing.T) {
	if testing.Short() {
		t.Skip("takes several seconds: run without -short")
	}
	repeats := map[string]int{"c32": 100, "t64": 40}
	eachCompleteVariant(t, goldenVariants[:2], func(t *testing.T, variant goldenVariant) {
		for _, test := range statisticalCases {
			t.Run(test.corruption, func(t *testing.T) {
				t.Parallel()
				config := Config{Corruption: test.corruption, Table: variant.table, Seed: 7}
				if test.corruption == "frost" {
					config.Textures = frostFolder(t)
				}
				checkStatistics(t, config, variant, repeats[variant.suffix], test.variation)
			})
		}
	})
}

// frostFolder is where the reference's textures are: in the folder that NBBNN_FROST names, or in
// the one next to the repository. The test is skipped without them.
func frostFolder(t *testing.T) string {
	if folder := os.Getenv("NBBNN_FROST"); folder != "" {
		return folder
	}
	folder := filepath.FromSlash("../../shared/data/frost")
	if !exists(folder) {
		t.Skip("frost was not compared: set NBBNN_FROST to the folder of the reference's textures")
	}
	return folder
}

func checkStatistics(t *testing.T, config Config, variant goldenVariant, draws int,
	variation float64) {
	images := golden[uint8](t, variant.folder, "images_"+variant.suffix)
	reference := golden[float64](t, variant.folder, "stats_"+config.Corruption+"_"+variant.suffix)
	histogram := golden[float32](t, variant.folder, "hist_"+config.Corruption+"_"+variant.suffix)
	var squares, count float64
	for config.Severity = 1; config.Severity <= 5; config.Severity++ {
		means, own := ownStatistics(t, config, images.Values,
			Size{images.Shape[1], images.Shape[2]}, draws)
		for image, mean := range means {
			cell := reference.At(config.Severity-1, image)
			for k, got := range mean {
				z := zScore(got, cell.Values[k], cell.Values[13+k], k, float64(draws), 200)
				squares, count = squares+z*z, count+1
				if math.Abs(z) > 5 {
					t.Errorf("severity %d image %d: %s is %.4g, want %.4g: z = %.2f, tolerance 5",
						config.Severity, image, statisticNames[k], got, cell.Values[k], z)
				}
			}
		}
		if got := totalVariation(own, histogram.At(config.Severity-1).Values); got > variation {
			t.Errorf("severity %d: total variation of the differences is %.4f, tolerance %g",
				config.Severity, got, variation)
		}
	}
	if rms := math.Sqrt(squares / count); rms > 1.3 {
		t.Errorf("root mean square of all z is %.2f, tolerance 1.3", rms)
	}
}

// zScore compares two means; the standard deviation has a floor of a quarter of a level, or .02 for
// shares and correlations.
func zScore(got, want, deviation float64, statistic int, ownDraws, referenceDraws float64) float64 {
	floor := .25
	if statistic >= 9 {
		floor = .02
	}
	return (got - want) / (max(deviation, floor) * math.Sqrt(1/ownDraws+1/referenceDraws))
}

// ownStatistics returns the mean statistics per image and the distribution of output - input.
func ownStatistics(t *testing.T, config Config, images []uint8, size Size,
	draws int) (means [][13]float64, histogram [511]float64) {
	t.Helper()
	var repeated []uint8
	for range draws {
		repeated = append(repeated, images...)
	}
	out := testkit.Must(Apply(context.Background(), config, size, repeated))(t)
	count, values := len(images)/size.Values(), size.Values()
	means = make([][13]float64, count)
	for i := 0; i < len(out)/values; i++ {
		image, corrupted := repeated[i*values:(i+1)*values], out[i*values:(i+1)*values]
		for k, s := range statisticsOf(image, corrupted, size) {
			means[i%count][k] += s / float64(draws)
		}
	}
	for i, v := range out {
		histogram[255+int(v)-int(repeated[i])] += 1 / float64(len(out))
	}
	return means, histogram
}

func totalVariation(got [511]float64, want []float32) float64 {
	sum := 0.0
	for i, p := range got {
		sum += math.Abs(p-float64(want[i])) / 2
	}
	return sum
}
