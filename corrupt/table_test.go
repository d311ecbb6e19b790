package corrupt

import "testing"

func TestTableFor(t *testing.T) {
	tests := []struct {
		size Size
		want Table
	}{
		{Size{1, 1}, CIFAR}, {Size{32, 32}, CIFAR}, {Size{48, 20}, CIFAR}, {Size{20, 49}, Tiny}, {Size{64, 64}, Tiny},
		{Size{128, 128}, Tiny}, {Size{129, 3}, ImageNet}, {Size{224, 224}, ImageNet},
	}
	for _, test := range tests {
		if got := TableFor(test.size); got != test.want {
			t.Errorf("%v: got %v, want %v", test.size, got, test.want)
		}
	}
}

func TestTableNames(t *testing.T) {
	for _, table := range []Table{CIFAR, Tiny, ImageNet} {
		if got, err := TableByName(table.String()); err != nil || got != table {
			t.Errorf("%v: got %v, %v", table, got, err)
		}
	}
	if got := Table(7).String(); got != "table 7" {
		t.Errorf("got %q for an unknown table", got)
	}
}
