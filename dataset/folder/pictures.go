package folder

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/semaphore"

	"github.com/nbbnn/workbench/dataset"
)

// ReadPictures reads picture files as Add does, without labels: turned upright, on white, cropped
// to their largest central square and scaled to a side. Notes say what was converted.
func ReadPictures(ctx context.Context, side int, paths ...string) (dataset.Images, []string,
	error) {
	if side < dataset.MinSide || side > dataset.MaxSide {
		return dataset.Images{}, nil, Options{Side: side}.check(".")
	}
	items := make([]item, len(paths))
	for i, path := range paths {
		items[i] = item{name: path, load: func() (photo, error) { return openPicture(path) }}
	}
	d := decoder{
		Options: Options{Side: side}, side: side, total: len(items), traits: map[string][]string{},
		memory: semaphore.NewWeighted(maxDecoding),
	}
	images, _, err := d.decode(ctx, items)
	if len(d.broken) > 0 {
		err = fmt.Errorf("folder: %w: give PNG, JPEG or WebP files", errors.Join(d.broken...))
	}
	return images, d.notes(&dataset.Dataset{}), err
}
