package main

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
)

// damage is one change of a file.
type damage struct {
	What  string `json:"what"`  // "bit", "byte", "cut", "emptied", "foreign"
	Class string `json:"class"` // of the byte; "" for a change of the whole file
	At    int    `json:"at"`    // byte
}

func (d damage) String() string {
	if d.Class == "" {
		return d.What
	}
	return fmt.Sprintf("%s %d (%s)", d.What, d.At, d.Class)
}

// wholeFile are the changes that concern no single byte. Each is made once a file.
var wholeFile = []string{"cut", "emptied", "foreign"}

// change returns the damaged content of a file and what was done. The number of the try chooses the
// class, so that all are met equally often; random chooses the rest. foreign is the same file of
// another run, nil if there is none.
func change(name string, data, foreign []byte, try int, random *rand.Rand) ([]byte, damage) {
	if try < len(wholeFile) {
		if what := wholeFile[try]; what != "foreign" || foreign != nil {
			return changeWhole(what, data, foreign, random)
		}
	}
	positions := classify(name, data)
	classes := slices.Sorted(maps.Keys(positions))
	class := classes[try%len(classes)]
	at := positions[class][random.IntN(len(positions[class]))]
	changed := bytes.Clone(data)
	if random.IntN(2) == 0 {
		changed[at] ^= 1 << random.IntN(8)
		return changed, damage{"bit", class, at}
	}
	changed[at] ^= byte(1 + random.IntN(255))
	return changed, damage{"byte", class, at}
}

func changeWhole(what string, data, foreign []byte, random *rand.Rand) ([]byte, damage) {
	switch what {
	case "cut":
		at := random.IntN(max(1, len(data)))
		return bytes.Clone(data[:at]), damage{What: what, At: at}
	case "foreign":
		return bytes.Clone(foreign), damage{What: what}
	}
	return nil, damage{What: what}
}
