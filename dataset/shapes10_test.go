package dataset

import (
	"context"
	"errors"
	"testing"
)

func TestOpenShapes10(t *testing.T) {
	data, err := Open(context.Background(), Config{TestCount: 20})
	if err != nil {
		t.Fatal(err)
	}
	if data.Name != Shapes10 || data.Train.Count() != 4000 || data.Test.Count() != 20 || len(data.Classes) != 10 {
		t.Errorf("got %s with %d training and %d test images of %d classes, want shapes10 with 4000, 20 and 10",
			data.Name, data.Train.Count(), data.Test.Count(), len(data.Classes))
	}
	if len(data.Hash) != 64 {
		t.Errorf("hash is %q, want 64 digits", data.Hash)
	}
	checkMoments(t, data, 1e-4)
}

func TestShapes10StopsWhenCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Open(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("error is %v, want one that wraps context.Canceled", err)
	}
}
