//go:build attack

package command

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
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
				t.Logf("%s: %d harmless, %d noticed, %d unclear, %d silent", file, count[harmless], count[noticed], count[unclear], count[silent])
			}
		})
	}
}

// flip damages one file once and returns the verdict about what its readers say.
func (s *scene) flip(t *testing.T, v victims, index, try int, random *rand.Rand, want []reading) int {
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
	damaged, what := damage(file, data, foreign, try, random)
	testkit.NoError(t, os.WriteFile(file, damaged, 0o644))
	readings := read(t, v.readers)
	verdict, at := judge(file, v.called, readings, want)
	said := fmt.Sprintf("%s, %s: nbbnn %s: %s", file, what, strings.Join(v.readers[at].arguments, " "), lastLine(readings[at].text))
	switch verdict {
	case silent:
		t.Errorf("silent: %s: %s", said, difference(readings[at].result, want[at].result))
	case unclear:
		t.Log("unclear: " + said)
	}
	return verdict
}

// damage returns the damaged content of a file and what was done. The number of the try chooses: a
// cut, nothing left, the same file of another run, then a byte or a bit of each class in turn.
func damage(name string, data, foreign []byte, try int, random *rand.Rand) ([]byte, string) {
	switch {
	case try == 0:
		at := random.IntN(max(1, len(data)))
		return data[:at], fmt.Sprintf("cut at %d", at)
	case try == 1:
		return nil, "emptied"
	case try == 2 && foreign != nil:
		return foreign, "of another run"
	}
	positions := classify(name, data)
	classes := slices.Sorted(maps.Keys(positions))
	class := classes[try%len(classes)]
	at := positions[class][random.IntN(len(positions[class]))]
	changed := bytes.Clone(data)
	if random.IntN(2) == 0 {
		changed[at] ^= 1 << random.IntN(8)
	} else {
		changed[at] ^= byte(1 + random.IntN(255))
	}
	return changed, fmt.Sprintf("byte %d of the %s", at, class)
}

// classify returns the positions of a file's bytes by their class. Each class is damaged equally
// often, however few bytes it has.
func classify(name string, data []byte) map[string][]int {
	positions := map[string][]int{}
	header, end := 0, 2
	switch filepath.Ext(name) {
	case ".safetensors":
		header, end = 8, 8
		if len(data) >= header {
			header += int(min(binary.LittleEndian.Uint64(data), uint64(len(data)-header)))
		}
	case ".npy":
		header, end = 128, 4
	case ".png":
		header, end = 33, 12
	case ".npz":
		header, end = 64, 300
	case ".csv":
		header = bytes.IndexByte(data, '\n') + 1
	}
	text := filepath.Ext(name) == ".csv" || strings.Contains(filepath.Ext(name), "json")
	keys := map[int]bool{}
	if text {
		for _, key := range jsonKey.FindAllIndex(data, -1) {
			for at := key[0]; at < key[1]; at++ {
				keys[at] = true
			}
		}
	}
	for at, c := range data {
		class := "numbers"
		switch {
		case at < 8 && filepath.Ext(name) == ".safetensors":
			class = "length"
		case at < header:
			class = "header"
		case at >= len(data)-end:
			class = "end"
		case !text, '0' <= c && c <= '9', c == '.', c == '-':
		case keys[at]:
			class = "keys"
		case 'a' <= c|0x20 && c|0x20 <= 'z':
			class = "text"
		default:
			class = "signs"
		}
		positions[class] = append(positions[class], at)
	}
	return positions
}

var jsonKey = regexp.MustCompile(`"[^"]*":`)
