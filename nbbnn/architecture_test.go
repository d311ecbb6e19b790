package nbbnn

import (
	"fmt"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/ml/model"
)

func TestCountsAgreeWithOracles(t *testing.T) {
	for _, classes := range []int{10, 100, 200} {
		o := oracle[struct {
			Layers      int
			Det         int
			Macs        int
			Variational map[string]map[string]int `json:"variational_params"`
		}](t, "architectures", fmt.Sprintf("AllCNNC/%d", classes))
		a := allCNNC(publishedWidth, classes, Published)
		if len(a.layers) != o.Layers || a.parameters() != o.Det || a.multiplications(32) != o.Macs {
			t.Errorf("%d classes: %d layers, %d parameters, %d multiplications, want %d, %d, %d", classes,
				len(a.layers), a.parameters(), a.multiplications(32), o.Layers, o.Det, o.Macs)
		}
		for _, mode := range []Mode{Input, Output, Both} {
			for _, components := range []int{1, 2, 4} {
				store := testStore(t, a, Config{Posterior: Posterior{Mode: mode, Components: components, InitStd: 0.3}})
				if got, want := variationalCount(store, a), o.Variational[string(mode)][fmt.Sprintf("K%d", components)]; got != want {
					t.Errorf("%d classes, mode %s, %d components: %d variational parameters, want %d", classes, mode, components, got, want)
				}
			}
		}
	}
}

func testStore(t *testing.T, a architecture, config Config) *model.Store {
	t.Helper()
	store, err := newStore(a, config)
	if err != nil {
		t.Fatal(err)
	}
	return store
}

func variationalCount(store *model.Store, a architecture) (count int) {
	for _, path := range a.phiPaths() {
		count += store.GetVariable(path).Shape().Size()
	}
	return count
}

func TestComponentsAgreeWithOracles(t *testing.T) {
	oracles := oracle[map[string]any](t, "schedules")
	for name, want := range oracles["component_index"].(map[string]any) {
		var images, samples, components int
		if _, err := fmt.Sscanf(name, "B%d_L%d_K%d", &images, &samples, &components); err != nil {
			t.Fatal(err)
		}
		index := make([][]float32, components)
		for k := range index {
			index[k] = []float32{float32(k)}
		}
		got := run(t, perRowOf(images*samples), index)[0]
		if components == 1 {
			want = []float64{0} // one component isn't repeated
		}
		near(t, name, got, want, 0)
	}
}

func perRowOf(rows int) func(args []*Node) []*Node {
	return func(args []*Node) []*Node { return []*Node{perRow(args[0], rows)} }
}
