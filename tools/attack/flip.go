package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// reading is the answer of a reader with its result.
type reading struct {
	answer
	result string // what it printed and wrote, without what differs between equal runs
	images string // the identity of the images that the result is of, "" if unknown
}

// read returns what all readers say of a folder.
func (v victims) read(ctx context.Context, p program, folder string) (readings []reading, err error) {
	p = p.with(v.environment...)
	for _, r := range v.readers {
		var got answer
		if r.call != nil {
			got = r.call(folder)
		} else if got, err = p.run(ctx, folder, r.arguments...); err != nil {
			return nil, err
		}
		result := got.result()
		for _, name := range r.writes {
			data, _ := os.ReadFile(filepath.Join(folder, name)) // a missing one counts as empty
			result += "\n" + string(data)
		}
		images := ""
		if r.identity != nil {
			images = r.identity(folder)
		}
		readings = append(readings, reading{got, result, images})
	}
	return readings, nil
}

// judge compares the readings after a damage with those before it. A message must call the damaged
// file by its name, or as the victims are called.
func judge(file, called string, readings, want []reading) (verdict string, reader int) {
	verdict = harmless
	for i, got := range readings {
		now := judgeOne(filepath.Base(file), called, got, want[i])
		if verdict == noticed && now == unclear { // it follows from what was said
			continue
		}
		if worse(verdict, now) != verdict {
			verdict, reader = now, i
		}
	}
	return verdict, reader
}

func judgeOne(file, called string, got, want reading) string {
	failed, differs := got.Status != 0, got.result != want.result
	switch {
	case got.crashed():
		return crashed
	case !failed && !differs:
		return harmless
	case strings.Contains(got.Err, file), called != "" && strings.Contains(got.Err, called):
		return noticed
	case !failed && got.images != "" && got.images != want.images:
		return noticed
	case failed || !slices.Equal(got.notes(), want.notes()):
		return unclear
	}
	return silent
}

// flips damages files of a scene, a number of times each file, and counts what the readers notice.
type flips struct {
	scene  *scene
	place  string // folder for the damaged copies
	seed   uint64
	tally  *tally
	report io.Writer // of every attack that ended badly
}

// attack damages all files of the victims in turn. done ends it early.
func (f *flips) attack(ctx context.Context, v victims, tries int, done func() bool) error {
	want, err := f.undamaged(ctx, v)
	if err != nil {
		return err
	}
	for try := range tries {
		for index, file := range v.files {
			if done() {
				return nil
			}
			if err := f.once(ctx, v, file, try, rand.New(rand.NewPCG(f.seed, uint64(try)<<8|uint64(index))), want); err != nil {
				return err
			}
		}
	}
	return nil
}

// undamaged returns the readings before any damage, whose results must be the same twice.
func (f *flips) undamaged(ctx context.Context, v victims) (first []reading, err error) {
	for range 2 {
		if err := f.copy(v); err != nil {
			return nil, err
		}
		readings, err := v.read(ctx, f.scene.program, f.place)
		if err != nil {
			return nil, err
		}
		for i, got := range readings {
			command := strings.Join(v.readers[i].arguments, " ")
			if got.Status != 0 {
				return nil, fmt.Errorf("attack: without a damage nbbnn %s ends with %d: %s", command, got.Status, lastLine(got.Err))
			}
			if v.readers[i].identity != nil && got.images == "" {
				return nil, fmt.Errorf("attack: without a damage nbbnn %s names no images", command)
			}
			if first != nil && got.result != first[i].result {
				return nil, fmt.Errorf("attack: without a damage nbbnn %s gives other results: %s", command, difference(got.result, first[i].result))
			}
		}
		first = readings
	}
	return first, nil
}

// difference returns where two results begin to differ.
func difference(a, b string) string {
	at := 0
	for at < min(len(a), len(b)) && a[at] == b[at] {
		at++
	}
	const around = 60
	part := func(text string) string { return text[max(0, min(at, len(text))-around):min(at+around, len(text))] }
	return fmt.Sprintf("%q, not %q", part(a), part(b))
}

// copy makes a fresh copy of the victims.
func (f *flips) copy(v victims) error {
	if err := os.RemoveAll(f.place); err != nil {
		return err
	}
	for _, part := range v.parts {
		to := filepath.Join(f.place, part)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		if err := copyTree(filepath.Join(f.scene.folder, part), to); err != nil {
			return err
		}
	}
	return nil
}

// once damages one file once.
func (f *flips) once(ctx context.Context, v victims, file string, try int, random *rand.Rand, want []reading) error {
	if err := f.copy(v); err != nil {
		return err
	}
	path := filepath.Join(f.place, file)
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var foreign []byte
	if other := v.foreign[file]; other != "" {
		if foreign, err = os.ReadFile(filepath.Join(f.scene.folder, other)); err != nil {
			return err
		}
	}
	damaged, done := change(file, data, foreign, try, random)
	if err := os.WriteFile(path, damaged, 0o644); err != nil {
		return err
	}
	readings, err := v.read(ctx, f.scene.program, f.place)
	if err != nil {
		return err
	}
	verdict, which := judge(file, v.called, readings, want)
	kind := "flips"
	if done.Class == "" {
		kind = "files"
	}
	f.tally.add(kind, v.row(file), verdict)
	if verdict != harmless && verdict != noticed {
		fmt.Fprintf(f.report, "%-8s %s, %s, try %d: nbbnn %s: %s\n", verdict, filepath.Base(file), done, try,
			strings.Join(v.readers[which].arguments, " "), cmp.Or(lastLine(readings[which].Err), "no message"))
	}
	return nil
}
