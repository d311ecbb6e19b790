package nbbnn

// Progress is told how far the work is: after every step of a training and after every cell of an evaluation. It's called
// from the goroutine that works, so it should return soon.
type Progress func(Update)

// Update says how far the work is.
type Update struct {
	Phase       string  // "train", "test", "implicit" or "layer"
	Run         string  // the run's name, the beginning of its hash
	Done, Total int     // steps of the training, cells of the evaluation, steps of the searches or draws of a layer's outputs over all images
	Text        string  // in words, such as "epoch 3/12  loss 0.412  entropy 81.3  err 9.1%"
	Rate        float64 // images a second
}
