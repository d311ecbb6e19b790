package kernel

import "testing"

func TestGeneratedAssemblyStaysInItsMemory(t *testing.T) {
	routines := parseRoutines(t, "micro_amd64.s", "winograd_amd64.s")
	for _, s := range []InstructionSet{avx2, avx512} {
		t.Run(s.Name, func(t *testing.T) {
			eachSide(t, func(t *testing.T, g *guarded) {
				for _, l := range smallLayers(30_000) {
					checkMemory(g, interpreted(s, routines), l)
				}
			})
		})
	}

}
