package paper

import (
	"fmt"
	"strings"
)

// join is such as "M16, M32 and M64".
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// seedsText is such as "seed 1", "seeds 1 2" or, from five on, "seeds 1 to 25".
func seedsText(seeds []uint64) string {
	switch {
	case len(seeds) == 1:
		return fmt.Sprintf("seed %d", seeds[0])
	case len(seeds) >= 5 && consecutive(seeds):
		return fmt.Sprintf("seeds %d to %d", seeds[0], seeds[len(seeds)-1])
	}
	return "seeds " + strings.Trim(fmt.Sprint(seeds), "[]")
}

func consecutive(seeds []uint64) bool {
	for i, seed := range seeds {
		if seed != seeds[0]+uint64(i) {
			return false
		}
	}
	return true
}
