package folder

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/check"
)

// ReadPictures reads picture files as Add does, without labels: turned upright, on white, cropped
// at the centre and scaled to a size. Notes list the conversions.
func ReadPictures(ctx context.Context, height, width int, paths ...string) (dataset.Images,
	[]string, error) {
	if err := check.Size(height, width); err != nil {
		return dataset.Images{}, nil, err
	}
	items := make([]item, len(paths))
	for i, path := range paths {
		items[i] = item{name: path, load: func() (photo, error) { return openPicture(path) }}
	}
	d := decoder{
		Options: Options{Height: height, Width: width}, total: len(items),
		traits: map[string][]string{}, memory: semaphore.NewWeighted(maxDecoding),
	}
	images, _, err := d.decode(ctx, items)
	if len(d.broken) > 0 {
		err = fmt.Errorf("folder: %w: give whole PNG, JPEG or WebP files", errors.Join(d.broken...))
	}
	return images, d.notes(&dataset.Dataset{}), err
}
