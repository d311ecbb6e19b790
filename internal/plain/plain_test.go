package plain

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/lab/explorer"
)

// The answers about clean and corrupted images are those of the library.
func TestAnswersAreTheLibrarys(t *testing.T) {
	const tolerance = 1e-4
	library := testkit.Must(explorer.Open(t.Context()))(t)
	corruptions := []string{"fog", "gaussian_noise", "pixelate"}
	for i, name := range []string{"map", "gamma-0", "gamma-16"} {
		network := shipped(t, name)
		asked := testkit.Must(library.Answers(t.Context(), explorer.Question{Image: i,
			Corruption: corruptions[i], Severity: 4}))(t)
		for _, c := range []struct {
			pixels []uint8
			want   []float64
		}{{asked.Clean, asked.By[i].Before}, {asked.Changed, asked.By[i].Probabilities}} {
			got := network.Answer(asked.Height, asked.Width, c.pixels)
			for class, want := range c.want {
				if !(math.Abs(got[class]-want) <= tolerance) {
					t.Errorf("%s under %s, class %d: got %g, want %g, tolerance %g", name,
						corruptions[i], class, got[class], want, tolerance)
				}
			}
		}
	}
}

func shipped(t *testing.T, name string) Network {
	t.Helper()
	file := filepath.Join("../../lab/explorer/networks", name+".safetensors")
	return testkit.Must(Read(testkit.Must(os.ReadFile(file))(t)))(t)
}

// Images of other sizes have answers, too.
func TestOtherSizes(t *testing.T) {
	network := shipped(t, "gamma-16")
	for _, size := range [][2]int{{1, 1}, {17, 32}} {
		sum := 0.0
		for _, p := range network.Answer(size[0], size[1], make([]uint8, size[0]*size[1]*3)) {
			sum += p
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("%dx%d pixels: the probabilities add up to %g", size[0], size[1], sum)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	empty := append([]byte{2, 0, 0, 0, 0, 0, 0, 0}, "{}"...)
	for name, file := range map[string][]byte{"a text": []byte("no weights at all"),
		"no tensors": empty} {
		if _, err := Read(file); err == nil || !strings.Contains(err.Error(), "no weights of") {
			t.Errorf("%s: error %v, want one about the weights", name, err)
		}
	}
}
