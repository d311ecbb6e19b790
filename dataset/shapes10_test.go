package dataset

import (
	"context"
	"errors"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

func TestOpenShapes10(t *testing.T) {
	for _, name := range []string{Shapes10, Shapes10Bright} {
		data := testkit.Must(Open(context.Background(), Config{Name: name, TestCount: 20}))(t)
		if data.Name != name || data.Train.Count() != 4000 || data.Test.Count() != 20 ||
			len(data.Classes) != 10 {
			t.Errorf("got %s with %d training and %d test images of %d classes, want %s with "+
				"4000, 20 and 10",
				data.Name, data.Train.Count(), data.Test.Count(), len(data.Classes), name)
		}
		checkMoments(t, data, 1e-4)
	}
}

// The hash of a data set is on the card of every run that was trained on it, so it never changes.
func TestShapes10Hash(t *testing.T) {
	for name, want := range map[string]string{
		Shapes10:       "6d4a4ba044023c31dc6aeb7dbf6da340f7aac8df2172bc76c15f7d5e8f819e25",
		Shapes10Bright: "47a91894896302c745515555b5f4daa25e85598237b540166d9623ef5ed88ad2",
	} {
		data := testkit.Must(Open(context.Background(), Config{Name: name, TrainCount: 500,
			TestCount: 128}))(t)
		if data.Hash != want {
			t.Errorf("%s has the hash\n%s, want\n%s", name, data.Hash, want)
		}
	}
}

func TestShapes10StopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}
