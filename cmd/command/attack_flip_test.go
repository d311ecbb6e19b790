//go:build attack

package command

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

var (
	tries      = flag.Int("tries", 4, "damages of each file, kills of each command")
	attackSeed = flag.Uint64("attack-seed", 1, "of every random choice")
)

// A file of each kind is damaged, and read with every command: no result may change without a
// message that something is wrong.
func TestAttackFlips(t *testing.T) {
	s := newScene(t)
	for _, v := range s.victims(t) {
		t.Run(strings.ReplaceAll(v.name, " ", "-"), func(t *testing.T) {
			want := s.readSound(t, v.parts, v.readers)
			for index, file := range v.files {
				var count [silent + 1]int
				for try := range *tries {
					random := rand.New(rand.NewPCG(*attackSeed, uint64(try)<<8|uint64(index)))
					count[s.flip(t, v, index, try, random, want)]++
				}
				t.Logf("%s: %d harmless, %d noticed, %d unclear, %d silent", file, count[harmless],
					count[noticed], count[unclear], count[silent])
			}
		})
	}
}

// flip damages one file once and returns the verdict about what its readers say.
func (s *scene) flip(t *testing.T, v victims, index, try int, random *rand.Rand,
	want []reading) int {
	t.Helper()
	s.copyParts(t, v.parts)
	file := v.files[index]
	data, err := os.ReadFile(file)
	testkit.NoError(t, err)
	var foreign []byte
	if index < len(v.foreign) {
		if foreign, err = os.ReadFile(filepath.Join(s.folder, v.foreign[index])); err != nil {
			t.Fatal(err)
		}
	}
	damaged, what := damage(data, foreign, try, random)
	testkit.NoError(t, os.WriteFile(file, damaged, 0o644))
	readings := read(t, v.readers)
	verdict, at := judge(file, v.called, readings, want)
	said := fmt.Sprintf("%s, %s: nbbnn %s: %s", file, what, strings.Join(v.readers[at].arguments,
		" "), lastLine(readings[at].text))
	switch verdict {
	case silent:
		t.Errorf("silent: %s: %s", said, difference(readings[at].result, want[at].result))
	case unclear:
		t.Log("unclear: " + said)
	}
	return verdict
}

// damage returns the damaged content of a file and what was done. The number of the try chooses: a
// cut, nothing left, the same file of another run, then a byte or a bit: near the beginning, near
// the end, or anywhere, each as often.
func damage(data, foreign []byte, try int, random *rand.Rand) ([]byte, string) {
	switch {
	case try == 0:
		at := random.IntN(max(1, len(data)))
		return data[:at], fmt.Sprintf("cut at %d", at)
	case try == 1:
		return nil, "emptied"
	case try == 2 && foreign != nil:
		return foreign, "of another run"
	}
	const margin = 256 // bytes of most headers
	at := random.IntN(len(data))
	switch random.IntN(3) {
	case 0:
		at = random.IntN(min(margin, len(data)))
	case 1:
		at = len(data) - 1 - random.IntN(min(margin, len(data)))
	}
	changed := bytes.Clone(data)
	if random.IntN(2) == 0 {
		changed[at] ^= 1 << random.IntN(8)
	} else {
		changed[at] ^= byte(1 + random.IntN(255))
	}
	return changed, fmt.Sprintf("byte %d of %d", at, len(data))
}
