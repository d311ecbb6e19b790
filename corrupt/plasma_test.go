package corrupt

import (
	"slices"
	"testing"
)

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
