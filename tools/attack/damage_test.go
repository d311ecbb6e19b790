package main

import (
	"bytes"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
)

// Each byte of a file is in one class, and a table, JSON and a checkpoint have the classes that
// they should.
func TestClassify(t *testing.T) {
	tensors := append([]byte{16, 0, 0, 0, 0, 0, 0, 0}, `{"__metadata__":`...)
	tensors = append(tensors, make([]byte, 24)...)
	for _, c := range []struct {
		name string
		data []byte
		want []string
	}{
		{"a.safetensors", tensors, []string{endBytes, headerBytes, lengthBytes, numberBytes}},
		{"cells.csv", []byte("suite,nll\nfog,2.5\nfog,2.25\n"), []string{endBytes, headerBytes, numberBytes, signBytes, textBytes}},
		{"card.json", []byte(`{"run": "ab", "seed": 1}` + "\n"), []string{endBytes, keyBytes, numberBytes, signBytes, textBytes}},
		{"train.jsonl", nil, nil},
		{"cells.csv", []byte("suite,nll\n"), []string{headerBytes}},
		{"a.safetensors", tensors[:5], []string{lengthBytes}},
		{"a.safetensors", tensors[:20], []string{headerBytes, lengthBytes}},
		{"fog.npy", make([]byte, 200), []string{endBytes, headerBytes, numberBytes}},
		{"fog.npy", make([]byte, 130), []string{endBytes, headerBytes}},
		{"fog.npy", make([]byte, 50), []string{headerBytes}},
		{"3.png", make([]byte, 70), []string{endBytes, headerBytes, numberBytes}},
		{"3.png", make([]byte, 40), []string{endBytes, headerBytes}},
		{"3.png", make([]byte, 20), []string{headerBytes}},
		{"fog-1.npz", make([]byte, 400), []string{endBytes, headerBytes, numberBytes}},
		{"fog-1.npz", make([]byte, 200), []string{endBytes, headerBytes}},
		{"fog-1.npz", make([]byte, 20), []string{headerBytes}},
	} {
		positions := classify(c.name, c.data)
		if got := slices.Sorted(maps.Keys(positions)); !slices.Equal(got, c.want) {
			t.Errorf("%s has the classes %v, want %v", c.name, got, c.want)
		}
		seen := map[int]bool{}
		for class, at := range positions {
			for _, position := range at {
				if seen[position] || position >= len(c.data) {
					t.Errorf("%s: byte %d of class %s is in two classes, or beyond the end", c.name, position, class)
				}
				seen[position] = true
			}
		}
	}
}

// A damage changes the file, and the same try gives the same damage.
func TestChangeIsRepeatable(t *testing.T) {
	data := []byte(`{"run": "ab", "seed": 1, "text": "some words"}` + "\n")
	for try := range 40 {
		first, what := change("card.json", data, []byte("{}"), try, rand.New(rand.NewPCG(1, uint64(try))))
		again, same := change("card.json", data, []byte("{}"), try, rand.New(rand.NewPCG(1, uint64(try))))
		if bytes.Equal(first, data) || !bytes.Equal(first, again) || what != same {
			t.Errorf("try %d: %v changes nothing, or differs from %v", try, what, same)
		}
	}
}

// Verdicts of a reader's answers.
func TestJudge(t *testing.T) {
	want := reading{answer: answer{Err: "note     a\n"}, result: "1", images: "own-c-0"}
	for _, c := range []struct {
		got  reading
		want string
	}{
		{reading{answer: answer{Err: "note     a\n"}, result: "1"}, harmless},
		{reading{answer: answer{Err: "note     a\n"}, result: "2"}, silent}, // of unknown images
		{reading{answer: answer{Err: "note     a\n"}, result: "2", images: "own-c-0"}, silent},
		{reading{answer: answer{Err: "note     a\n"}, result: "2", images: "own-c-1"}, noticed},
		{reading{answer: answer{Err: "note     a\nnote     b\n"}, result: "2"}, unclear},
		{reading{answer: answer{Err: "note     runs/a/card.json is damaged\n"}, result: "2"}, noticed},
		{reading{answer: answer{Err: "error    card.json is damaged\n", Status: 1}, result: ""}, noticed},
		{reading{answer: answer{Err: "error    no\n", Status: 1}, result: ""}, unclear},
		{reading{answer: answer{Err: "panic: no\n\ngoroutine 1 [running]:\n", Status: 2}, result: ""}, crashed},
		{reading{answer: answer{Status: -1}, result: ""}, crashed},
	} {
		if got, _ := judge("runs/a/card.json", "", []reading{c.got}, []reading{want}); got != c.want {
			t.Errorf("%+v is %s, want %s", c.got, got, c.want)
		}
	}
	after := []reading{{answer: answer{Err: "card.json", Status: 1}}, {answer: answer{Err: "no run", Status: 1}}}
	if got, _ := judge("card.json", "", after, []reading{want, want}); got != noticed {
		t.Errorf("an error that follows from a noticed one makes it %s", got)
	}
}
