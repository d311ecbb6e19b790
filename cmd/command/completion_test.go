package command

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCompletion(t *testing.T) {
	runs := t.TempDir()
	t.Setenv("NBBNN_DATA", t.TempDir())
	if _, stderr, status := execute(t, append(tinyRun(runs), "--epochs", "1")...); status != exitDone {
		t.Fatal(stderr)
	}
	run := onlyRun(t, runs)
	for _, c := range []struct {
		args string
		want string // a line of the answer
	}{
		{"train --preset all", "allcnnc-shapes10\n"},
		{"train --network vg", "vgg16\n"},
		{"train --data sha", "shapes10\nshapes10-bright\n"},
		{"evaluate --suite mai", "main15\n"},
		{"evaluate --corruptions fog,sno", "fog,snow\n"},
		{"figure 3 --scale pa", "paper\n"},
		{"figure ", "4\n"},
		{"data get cifar10 cifar100", "cifar100\n"},
		{"runs watch " + run[:3], run + "\tallcnnc, width 2, shapes10, gamma 0, seed 1\n"},
		{"evaluate ", run + "\t"},
		{"compl", "completion\t"},
	} {
		words := append([]string{"__complete", "--runs", runs}, strings.Split(c.args, " ")...)
		stdout, stderr, status := execute(t, words...)
		if status != exitDone || !strings.Contains("\n"+stdout, "\n"+c.want) {
			t.Errorf("nbbnn %s<Tab>: status %d, %q, %s; want %q", c.args, status, stdout, stderr, c.want)
		}
	}
	given := filepath.Base(run)
	if stdout, _, _ := execute(t, "__complete", "compare", "--runs", runs, given, ""); strings.Contains(stdout, given) {
		t.Errorf("a run that was given is offered again: %q", stdout)
	}
}
