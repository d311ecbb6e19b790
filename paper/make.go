package paper

import "context"

// Make trains and evaluates what is missing of a figure, saves it in options.Out and returns the result and the paths of the
// files. When the context ends, the run at work is saved and the error wraps nbbnn.ErrStopped: the same call goes on from
// there.
func Make(ctx context.Context, figure Figure, scale Scale, options Options) (*Result, []string, error) {
	if _, err := figure.Train(ctx, scale, options); err != nil {
		return nil, nil, err
	}
	result, err := figure.Evaluate(ctx, scale, options)
	if err != nil {
		return nil, nil, err
	}
	files, err := result.Save(options.withDefaults().Out)
	return result, files, err
}
