package network

import (
	"cmp"
	"fmt"
	"reflect"
	"testing"

	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/internal/purego/operation"
	"github.com/nbbnn/workbench/internal/testkit"
)

// Every network with 10, 100 and 200 classes has the layers, parameters, running statistics and
// multiply-adds of the published code.
func TestCountsAgreeWithOracles(t *testing.T) {
	for _, c := range []struct {
		published, name string
		side            int
	}{
		{"AllCNNC", "allcnnc", 32}, {"VGG16", "vgg16", 32}, {"ResNet18", "resnet18", 32},
		{"PreActResNet18", "preactresnet18", 64},
	} {
		for _, classes := range []int{10, 100, 200} {
			o := testkit.Oracle[counts](t, "architectures", fmt.Sprintf("%s/%d", c.published,
				classes))
			a := testArchitecture(c.name, 0, classes)
			running := 0
			for _, n := range a.normalisations {
				running += 2 * n.channels
			}
			macs, _ := a.MultiplyAdds(c.side, c.side)
			got := counts{Layers: len(a.layers), Det: a.Parameters, Running: running,
				Macs: macs}
			want := o
			want.Variational = nil
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s with %d classes: %+v, want %+v", c.name, classes, got, want)
			}
			checkVariational(t, c.name, a, o.Variational)
		}
	}
}

type counts struct {
	Layers      int
	Det         int // deterministic parameters
	Running     int `json:"bn_running"`
	Macs        int
	Variational map[string]map[string]int `json:"variational_params"`
}

func checkVariational(t *testing.T, name string, a Architecture, want map[string]map[string]int) {
	t.Helper()
	for _, mode := range []Mode{Input, Output, Both} {
		for _, components := range []int{1, 2, 4} {
			got := 2 * components * a.Latents(mode)
			if want := want[string(mode)][fmt.Sprintf("K%d", components)]; got != want {
				t.Errorf("%s, mode %s, %d components: %d variational parameters, want %d",
					name, mode, components, got, want)
			}
		}
	}
}

// torchvision's ResNet18 has 11,689,512 parameters for 1,000 classes and makes maps of 7 x 7 pixels
// of an image of 224.
func TestResNet18ForPhotos(t *testing.T) {
	a := testArchitecture(imageNetResNet18, 64, 1000)
	if got := a.Parameters; got != 11_689_512 {
		t.Errorf("%d parameters, want 11,689,512", got)
	}
	last := a.layers[len(a.layers)-2]
	if got := a.positions(a.layers[0], 224, 224); got != 112*112 ||
		a.positions(last, 224, 224) != 7*7 {
		t.Errorf("the first map has %d pixels and the last %d, want 12,544 and 49", got,
			a.positions(last, 224, 224))
	}
	if got, _ := a.MultiplyAdds(224, 224); got != 1_814_073_344 {
		t.Errorf("%d multiply-adds, want 1,814,073,344, as published tools count", got)
	}
}

// The variables of a store are the parameters that were counted.
func TestStoreHoldsWhatIsCounted(t *testing.T) {
	for _, name := range Names() {
		for _, mode := range []Mode{Input, Output, Both, Deterministic} {
			a := testArchitecture(name, 2, 10)
			store := testStore(t, a, Settings{Posterior: Posterior{Mode: mode, Components: 3,
				InitStd: 0.3}})
			theta, phi := 0, 0
			for _, path := range a.thetaPaths() {
				theta += store.GetVariable(path).Shape().Size()
			}
			for _, path := range a.phiPaths(mode) {
				phi += store.GetVariable(path).Shape().Size()
			}
			if theta != a.Parameters || phi != 6*a.Latents(mode) {
				t.Errorf("%s, mode %s: %d parameters and %d variational ones, want %d and %d",
					name, mode, theta, phi, a.Parameters, 6*a.Latents(mode))
			}
		}
	}
}

// testArchitecture builds a network in its published form; width 0 is the published one.
func testArchitecture(name string, width, classes int) Architecture {
	return Network{Name: name, Width: cmp.Or(width, definitionOf(name).Width),
		Form: Published}.Architecture(classes)
}

func testStore(t *testing.T, a Architecture, config Settings) *model.Store {
	t.Helper()
	return testkit.Must(newStore(a, config))(t)
}

func TestComponentsAgreeWithOracles(t *testing.T) {
	oracles := testkit.Oracle[map[string]any](t, "schedules")
	for name, want := range oracles["component_index"].(map[string]any) {
		var images, samples, components int
		testkit.Must(fmt.Sscanf(name, "B%d_L%d_K%d", &images, &samples, &components))(t)
		index := make([][]float32, components)
		for k := range index {
			index[k] = []float32{float32(k)}
		}
		got := run(t, withoutNoise(images*samples), index)[0]
		testkit.Near(t, name, got, want, 0)
	}
}

// withoutNoise samples the given number of rows of latents whose draws are all zero: what is left
// is the mean of each row's component.
func withoutNoise(rows int) func(args []*Node) []*Node {
	return func(args []*Node) []*Node {
		mean := args[0]
		zeros := Zeros(mean.Graph(), shapes.Make(mean.DType(), rows, mean.Shape().Dim(1)))
		return operation.SampleLatents(mean, mean, []*Node{zeros})
	}
}
