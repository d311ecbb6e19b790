package viz_test

import (
	"log"

	"github.com/nbbnn/workbench/viz"
)

// gammaCurves are the negative log-likelihoods of VGG16 on CIFAR-100 with one and with four
// components, as they can be read off the paper's Figure 6: on clean test images and at the
// severities 4 and 5, over five seeds.
func gammaCurves() (test, severe []viz.GammaCurve) {
	one := []float64{0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 64, 68, 72, 76, 80}
	four := []float64{0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160}
	test = []viz.GammaCurve{{
		Name: "K = 1", Components: 1, Gamma: one, Seeds: 5,
		Mean: []float64{
			1.2806, 1.1780, 1.0950, 1.0411, 0.9886, 0.9641, 0.9435, 0.9257, 0.9167, 0.9019, 0.9040,
			0.9009, 0.9029, 0.9100, 0.9235, 0.9462, 0.9690, 1.0015, 1.0300, 1.0713, 1.1098,
		},
		Std: []float64{
			0.0064, 0.0142, 0.0095, 0.0044, 0.0049, 0.0116, 0.0065, 0.0022, 0.0018, 0.0082, 0.0067,
			0.0028, 0.0085, 0.0034, 0.0057, 0.0015, 0.0024, 0.0037, 0.0068, 0.0037, 0.0029,
		},
	}, {
		Name: "K = 4", Components: 4, Gamma: four, Seeds: 5,
		Mean: []float64{1.1391, 1.0541, 1.0050, 0.9501, 0.9248, 0.9165, 0.9251, 0.9415, 0.9867, 1.0487, 1.1258},
		Std:  []float64{0.0139, 0.0036, 0.0102, 0.0042, 0.0031, 0.0019, 0.0056, 0.0029, 0.0029, 0.0037, 0.0013},
	}}
	severe = []viz.GammaCurve{{
		Name: "K = 1", Components: 1, Gamma: one, Seeds: 5,
		Mean: []float64{
			3.9826, 3.8197, 3.6313, 3.3328, 3.2636, 3.0760, 2.9633, 2.8914, 2.8617, 2.8350, 2.7839,
			2.7512, 2.7085, 2.6806, 2.6825, 2.6516, 2.6447, 2.6542, 2.6840, 2.6577, 2.6784,
		},
		Std: []float64{
			0.0661, 0.1185, 0.0567, 0.0393, 0.0401, 0.0630, 0.0244, 0.0270, 0.0071, 0.0176, 0.0422,
			0.0487, 0.0547, 0.0062, 0.0212, 0.0338, 0.0420, 0.0342, 0.0127, 0.0286, 0.0167,
		},
	}, {
		Name: "K = 4", Components: 4, Gamma: four, Seeds: 5,
		Mean: []float64{3.5175, 3.2698, 3.0827, 2.9495, 2.7966, 2.6984, 2.6252, 2.5783, 2.5422, 2.5535, 2.5709},
		Std:  []float64{0.0723, 0.0630, 0.0393, 0.0168, 0.0209, 0.0376, 0.0126, 0.0209, 0.0121, 0.0190, 0.0363},
	}}
	return test, severe
}

// A sweep of one's own with a single seed, here 4 % above the paper's, against gamma and with the
// paper's curve.
func ExampleGammaCurves() {
	test, _ := gammaCurves()
	sweep := viz.GammaCurve{Name: "K = 4", Gamma: test[1].Gamma, Paper: test[1].Mean, Seeds: 1}
	for _, paper := range sweep.Paper {
		sweep.Mean = append(sweep.Mean, 1.04*paper)
	}
	figure, err := viz.GammaCurves("NLL", []viz.GammaCurve{sweep})
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/gamma_curves.png"); err != nil {
		log.Fatal(err)
	}
}

// The layout of the paper's Figure 6: one panel for each split, one legend for all.
func ExampleSharedRow() {
	test, severe := gammaCurves()
	left, err := viz.GammaCurves("NLL", test)
	if err != nil {
		log.Fatal(err)
	}
	right, err := viz.GammaCurves("NLL", severe)
	if err != nil {
		log.Fatal(err)
	}
	figure, err := viz.SharedRow(left.Titled("test"), right.Titled("severities 4 and 5"))
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/shared_row.png"); err != nil {
		log.Fatal(err)
	}
}
