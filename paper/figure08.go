package paper

// Figure08 is the paper's figure of label noise with 40 % of wrong labels: the negative log-likelihood
// of training images with clean and with wrong labels, and of test images, against gamma.
var Figure08 = labelNoiseFigure(8, 0.4, figure08Published)

// Figure09 is Figure08 with 80 % of wrong labels.
var Figure09 = labelNoiseFigure(9, 0.8, nil)

// figure08Published are the curves of the paper with 40 % of wrong labels, ResNet18 on CIFAR-10 with
// four components, means over its runs (METHOD.md section 6).
var figure08Published = []publishedSweep{
	{"clean labels", 4, []float64{
		0.2132, 0.2382, 0.2515, 0.2484, 0.2489, 0.2623, 0.288, 0.3366, 0.4043, 0.4938, 0.6245,
	}},
	{"wrong labels", 4, []float64{
		1.4661, 1.9603, 2.4821, 2.9954, 3.4101, 3.6933, 3.8599, 3.8612, 3.7608, 3.573, 3.3192,
	}},
	{"test", 4, []float64{
		0.8027, 0.7633, 0.7451, 0.7375, 0.7528, 0.778, 0.818, 0.8625, 0.9143, 0.9683, 1.024,
	}},
}
