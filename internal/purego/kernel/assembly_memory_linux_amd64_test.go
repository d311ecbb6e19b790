package kernel

import "testing"

func TestGeneratedAssemblyStaysInItsMemory(t *testing.T) {
	routines := parseRoutines(t, interpretedFiles...)
	for _, s := range []InstructionSet{avx2, avx512, neonHere} {
		t.Run(s.Name, func(t *testing.T) {
			eachSide(t, func(t *testing.T, g *guarded) {
				for _, l := range smallLayers(30_000) {
					checkMemory(g, interpreted(s, routines), l)
				}
			})
		})
	}

}
