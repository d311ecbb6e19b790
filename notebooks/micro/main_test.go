package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/gomlx/gomlx/core/tensors"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/network"
)

// example returns a network away from its start, with a batch and its noise.
func example() (net Network, batch []Point, epsilon [][][]float64, o Objective) {
	random := rand.New(rand.NewPCG(4, 0))
	net = NewNetwork(random, 0.3)
	for _, layer := range net {
		for i := range layer.B {
			layer.B[i] = 0.2 * random.NormFloat64()
			layer.Mu[i] += 0.1 * random.NormFloat64()
			layer.Rho[i] += 0.1 * random.NormFloat64()
		}
	}
	batch = Pinwheel(random, 7, 0.3)
	for range batch {
		epsilon = append(epsilon, net.Noise(random))
	}
	return net, batch, epsilon, Objective{Gamma: 4, Beta: 0.7, PriorStd: 0.25, Images: 11}
}

// parameters are all parameters of a network, by name.
func parameters(net Network) map[string][]float64 {
	all := map[string][]float64{}
	for l, layer := range net {
		all[fmt.Sprint("b", l)], all[fmt.Sprint("mu", l)], all[fmt.Sprint("rho", l)] = layer.B,
			layer.Mu, layer.Rho
		for i, row := range layer.W {
			all[fmt.Sprintf("W%d row %d", l, i)] = row
		}
	}
	return all
}

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if !(math.Abs(got-want) <= tolerance) {
		t.Errorf("%s is %.10g, want %.10g", what, got, want)
	}
}

// The closed forms of two nodes with the means 1.1 and 0.8.
func TestEntropiesOfTwoNodes(t *testing.T) {
	rho := func(sigma float64) float64 { return math.Log(math.Expm1(sigma)) }
	net := Network{{Mu: []float64{1.1, 0.8}, Rho: []float64{rho(0.25), rho(0.4)}}}
	entropy, cross := net.Entropies(0.3)
	near(t, "H[q]", entropy, 0.5352919734, 1e-9)
	near(t, "H[q, p]", cross, 0.9438203466, 1e-9)
	near(t, "KL", cross-entropy, 0.4085283732, 1e-9)
}

func TestGradientIsThatOfDifferences(t *testing.T) {
	net, batch, epsilon, o := example()
	_, grad := net.Loss(batch, epsilon, o)
	by := parameters(grad)
	const h = 1e-6
	for name, values := range parameters(net) {
		for i, value := range values {
			values[i] = value + h
			above, _ := net.Loss(batch, epsilon, o)
			values[i] = value - h
			below, _ := net.Loss(batch, epsilon, o)
			values[i] = value
			near(t, fmt.Sprintf("gradient by %s[%d]", name, i), by[name][i], (above-below)/(2*h),
				1e-7)
		}
	}
}

// The library trains the same network, of an image of one pixel: in one step on the same draws it
// has the same loss, and the same gradients.
func TestAgreesWithTheLibrary(t *testing.T) {
	defer func(before []int) { sizes = before }(sizes)
	sizes = []int{3, 16, 16, 3}
	stepper := libraryStepper(t)
	o := Objective{Gamma: 4, Beta: 0.7, PriorStd: 0.25, Images: 7}
	net := asNetwork(t, stepper.Model)
	batch, epsilon := libraryBatch(stepper.Model)
	loss, grad := net.Loss(batch, epsilon, o)
	cross, entropy, err := stepper.PosteriorTerms()
	if err != nil {
		t.Fatal(err)
	}
	losses, err := stepper.Step(t.Context()) // replaces the parameters by their gradients
	if err != nil {
		t.Fatal(err)
	}
	near(t, "loss", loss, losses.NLL+o.Beta/7*(cross-(o.Gamma+1)*entropy), 1e-5)
	want := parameters(asNetwork(t, stepper.Model))
	for name, values := range parameters(grad) {
		for i, value := range values {
			near(t, fmt.Sprintf("gradient by %s[%d]", name, i), value, want[name][i], 1e-5)
		}
	}
}

// pixels are seven random images of one pixel, of three classes.
func pixels() *dataset.Dataset {
	random := rand.New(rand.NewPCG(5, 0))
	images := dataset.Images{Height: 1, Width: 1, Labels: []uint8{0, 1, 2, 0, 1, 2, 2}}
	for range 21 {
		images.Pixels = append(images.Pixels, uint8(random.IntN(256)))
	}
	return &dataset.Dataset{
		Name: "pixels", Classes: []string{"a", "b", "c"}, Train: images,
		Mean: [3]float64{0.5, 0.4, 0.6}, Std: [3]float64{0.2, 0.3, 0.25},
	}
}

// libraryStepper trains on pixels with a rule that replaces every parameter by its gradient.
func libraryStepper(t *testing.T) *network.Stepper {
	t.Helper()
	layers := func(b *network.Builder) network.Value {
		hidden := b.Image().Dense(network.Dense{Features: b.Width()}).ReLU()
		hidden = hidden.Dense(network.Dense{Features: b.Width()}).ReLU()
		return hidden.Dense(network.Dense{Features: b.Classes()})
	}
	err := network.Define("micro", layers, network.Defaults{Width: 16, Epochs: 1, Batch: 7,
		LearningRate: 1})
	if err != nil {
		t.Fatal(err)
	}
	model, err := network.NewModel(network.Settings{
		Network: network.Network{Name: "micro"},
		Posterior: network.Posterior{Mode: network.Output, Components: 1, InitStd: 0.3,
			PriorStd: 0.25},
		Objective: network.Objective{Gamma: 4},
		Training:  network.Training{Samples: 1, NoAugmentation: true},
		Seed:      6,
	}, pixels(), network.ModelOptions{Noise: network.HostNoise})
	if err != nil {
		t.Fatal(err)
	}
	stepper, err := network.NewStepper(model, pixels().Train, network.StepperOptions{
		Schedule: func(int) (theta, phi, beta float64) { return 1, 1, 0.7 },
		Order:    func(int) []int32 { return []int32{0, 1, 2, 3, 4, 5, 6} },
		Rule: network.Rule{Update: func(s *network.StepGraph) {
			theta, phi := s.Gradients(s.Loss(nil))
			for i, p := range append(s.Theta, s.Phi...) {
				s.Set(p, append(theta, phi...)[i])
			}
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return stepper
}

// libraryBatch returns the pixels as the library normalises them, and the noise of its first step.
func libraryBatch(model *network.Model) (batch []Point, epsilon [][][]float64) {
	data, noise := pixels(), model.TrainingNoise(0)
	for b, class := range data.Train.Labels {
		point, draws := Point{Class: int(class)}, [][]float64{}
		for channel, value := range data.Train.Pixels[3*b:][:3] {
			point.X = append(point.X, (float64(value)/255-data.Mean[channel])/data.Std[channel])
		}
		for _, layer := range noise {
			var row []float64
			for _, value := range layer.(*tensors.Tensor).Value().([][]float32)[b] {
				row = append(row, float64(value))
			}
			draws = append(draws, row)
		}
		batch, epsilon = append(batch, point), append(epsilon, draws)
	}
	return batch, epsilon
}

// asNetwork copies the parameters of the library's model.
func asNetwork(t *testing.T, model *network.Model) Network {
	t.Helper()
	variables, err := model.Variables()
	if err != nil {
		t.Fatal(err)
	}
	net := zeros()
	for _, v := range variables {
		for l, name := range model.Architecture.Layers() {
			for i := range len(v.Data) / 4 {
				value := float64(math.Float32frombits(binary.LittleEndian.Uint32(v.Data[4*i:])))
				out := len(net[l].B)
				switch v.Name {
				case "theta." + name + ".weights": // [in, out]
					net[l].W[i%out][i/out] = value
				case "theta." + name + ".bias":
					net[l].B[i] = value
				case "phi." + name + ".mean":
					net[l].Mu[i] = value
				case "phi." + name + ".rho":
					net[l].Rho[i] = value
				}
			}
		}
	}
	return net
}

// The cells from scratch of the lesson are this program, declaration by declaration.
func TestLessonHasThisProgram(t *testing.T) {
	program, err := os.ReadFile("main.go")
	if err != nil {
		t.Fatal(err)
	}
	lesson, err := os.ReadFile("../lesson-0.md")
	if err != nil {
		t.Fatal(err)
	}
	cells := strings.Split(string(lesson), "```go tags=[\"scratch\"]\n")[1:]
	if len(cells) < 5 {
		t.Fatalf("the lesson has %d cells from scratch", len(cells))
	}
	for _, cell := range cells {
		code, _, _ := strings.Cut(cell, "\n```")
		for _, declaration := range strings.Split(code, "\n\n") {
			if !strings.Contains(string(program), declaration+"\n") {
				t.Errorf("the program doesn't have this declaration of the lesson:\n%s",
					declaration)
			}
		}
	}
}

// More entropy costs likelihood on clean points, and pays under strong noise.
func TestEntropyPaysUnderNoise(t *testing.T) {
	var clean, noisy [2]float64
	for i, gamma := range []float64{0, 30} {
		for seed := range uint64(3) {
			random := rand.New(rand.NewPCG(seed, 1))
			train, net := Pinwheel(random, 90, 0), NewNetwork(random, 0.16)
			net.Train(random, train, Objective{Gamma: gamma, PriorStd: 0.16, Images: len(train)})
			clean[i] += net.NLL(random, Pinwheel(random, 300, 0), 16) / 3
			noisy[i] += net.NLL(random, Pinwheel(random, 300, 0.75), 16) / 3
		}
	}
	if clean[0] >= clean[1] || noisy[0] <= noisy[1] {
		t.Errorf("without extra entropy %.3f and %.3f on clean and noisy points, with it %.3f "+
			"and %.3f", clean[0], noisy[0], clean[1], noisy[1])
	}
}
