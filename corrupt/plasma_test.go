package corrupt

import (
	"math"
	"slices"
	"testing"
)

func TestPlasmaEqualsTheReference(t *testing.T) {
	eachCompleteVariant(t, goldenVariants[:2], func(t *testing.T, variant goldenVariant) {
		uniforms := widen(golden[float32](t, variant.folder, "draw_fog_u_"+variant.suffix).Values)
		stages := golden[float64](t, variant.folder, "stage_fog_plasma_"+variant.suffix)
		size := Size{stages.Shape[1], stages.Shape[2]}
		for severity := 1; severity <= 5; severity++ {
			p := newPlasma(size, fogDensity.at(setup{table: variant.table, severity: severity}).decay)
			got, want := p.fill(uniforms), stages.At(severity-1).Values
			for i, v := range got {
				if math.Abs(v-want[i]) > 1e-12 {
					t.Fatalf("%s severity %d, point %d: got %g, want %g, tolerance 1e-12", variant.suffix, severity, i, v, want[i])
				}
			}
		}
	})
}

func TestPlasmaUsesEveryDrawAndSpansTheRange(t *testing.T) {
	p := newPlasma(Size{20, 33}, 2)
	if p.side != 64 {
		t.Fatalf("got side %d, want 64", p.side)
	}
	var draws draws
	draws.fillUniforms(testRandom(1), p.uniformCount())
	values := p.fill(draws.uniforms)
	if len(p.uniforms) != 0 {
		t.Errorf("%d draws are left, want none", len(p.uniforms))
	}
	if low, high := slices.Min(values), slices.Max(values); low != 0 || high != 1 {
		t.Errorf("values span %g to %g, want 0 to 1", low, high)
	}
}
