package corrupt

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
)

// Image is one image as Draw and Apply see it: RGB values from 0 to 1, [height, width, 3].
type Image struct {
	Size
	Values []float64
}

// Corruption is a way to corrupt images that Register adds to the nineteen of the benchmark. Like
// them it works in two steps: Draw takes random numbers, Apply computes the corrupted image from
// them. The same draws then always give the same pixels, in any order of the images and with any
// number of cores. Both functions are called by several goroutines at once.
type Corruption struct {
	Name    string // in files and flags: lower-case letters, digits and underscores
	Version string // change it with Draw or Apply, so that older results are kept apart

	// Severities holds the strength of severities 1 to 5, in a unit that Apply chooses.
	Severities [5]float64
	// replaces Severities for images with that table; nil means none
	ByTable map[Table][5]float64

	// Draw returns the random numbers that Apply needs for an image. They come from rng only, which
	// depends on the seed, the name, the severity and the position of the image in its data set.
	// Nil means that Apply needs none.
	Draw func(rng *rand.Rand, image Image, strength float64) []float64

	// Apply writes the corrupted image to out, which starts as a copy of the image. Values outside
	// 0 to 1 are clipped; NaN and infinite ones are an error.
	Apply func(image Image, strength float64, draws, out []float64)
}

// namePattern is the form of the names of corruptions and suites, which are names of files too.
var namePattern = regexp.MustCompile(`^[a-z0-9][a-z0-9_]*$`)

// Register makes a corruption known by its name. It fails for a name that is taken and for a
// corruption without a version, severities or Apply.
func Register(corruption Corruption) error {
	if err := corruption.validate(); err != nil {
		return err
	}
	registry.Lock()
	defer registry.Unlock()
	if err := checkFree(corruption.Name); err != nil {
		return err
	}
	corruption.ByTable = maps.Clone(corruption.ByTable)
	registry.corruptions = append(registry.corruptions, corruption.entry())
	return nil
}

func (c Corruption) validate() error {
	if err := checkName(c.Name); err != nil {
		return err
	}
	fail := func(text string) error { return fmt.Errorf("corrupt: corruption %q %s", c.Name, text) }
	switch {
	case strings.TrimSpace(c.Version) == "":
		return fail(`has no version: give one, for example "1", and change it with the functions`)
	case c.Apply == nil:
		return fail("has no Apply: give a function that writes the corrupted image")
	}
	if !usable(c.Severities) {
		return fail(fmt.Sprintf("has severities %v: want five finite strengths, not all 0",
			c.Severities))
	}
	for table, severities := range c.ByTable {
		if table < CIFAR || table > ImageNet || !usable(severities) {
			return fail(fmt.Sprintf("has ByTable[%v] = %v: want five finite strengths for CIFAR, "+
				"Tiny or ImageNet",
				table, severities))
		}
	}
	return nil
}

// usable reports whether all strengths are finite and one of them differs from 0.
func usable(severities [5]float64) bool {
	infinite := func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) }
	return severities != [5]float64{} && !slices.ContainsFunc(severities[:], infinite)
}

// checkName reports whether a corruption or a suite may have a name.
func checkName(name string) error {
	switch {
	case name == "":
		return errors.New("corrupt: the name is empty: give one of lower-case letters, digits " +
			"and underscores")
	case !namePattern.MatchString(name):
		return fmt.Errorf("corrupt: name %q: want lower-case letters, digits and underscores", name)
	case name == "clean" || name == "labels":
		return fmt.Errorf("corrupt: the name %q has a special meaning: choose another", name)
	}
	return nil
}

// checkFree reports whether no corruption and no suite has a name. The registry is locked.
func checkFree(name string) error {
	if slices.ContainsFunc(registry.corruptions, func(e entry) bool { return e.name == name }) ||
		slices.ContainsFunc(suites, func(s Suite) bool { return s.Name == name }) {
		return fmt.Errorf("corrupt: the name %q is taken: choose another", name)
	}
	return nil
}

// Fingerprint returns eight hexadecimal digits that change with a registered corruption's version
// and severities, and "" for the nineteen, which never change. Results of different fingerprints
// can't be compared. It fails for an unknown name.
func Fingerprint(name string) (string, error) {
	entry, err := find(name)
	return entry.fingerprint, err
}

func (c Corruption) fingerprint() string {
	text := fmt.Sprintf("%q %v", c.Version, c.Severities)
	for table := CIFAR; table <= ImageNet; table++ {
		if severities, found := c.ByTable[table]; found {
			text += fmt.Sprintf(" %v %v", table, severities)
		}
	}
	return digest(text)
}

// digest returns the first eight hexadecimal digits of a text's SHA-256.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:4])
}

// entry returns the registered corruption as an entry of the registry. Its stream comes from its
// name, with the highest bit set, so that it's never one of the nineteen's.
func (c Corruption) entry() entry {
	hash := fnv.New64a()
	hash.Write([]byte(c.Name))
	return entry{
		name: c.Name, stream: hash.Sum64() | 1<<63, fingerprint: c.fingerprint(),
		build: func(setup setup) operator { return newCustom(c, setup) },
	}
}
