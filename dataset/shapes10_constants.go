package dataset

// Mean and standard deviation of each channel over the standard training set of Shapes10 with seed 0.
var (
	shapesMean = [3]float64{0.5, 0.5, 0.5}
	shapesStd  = [3]float64{0.25, 0.25, 0.25}
)
