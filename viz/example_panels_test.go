package viz_test

import (
	"fmt"
	"log"

	"github.com/nbbnn/workbench/viz"
)

// benchmark is what METHOD.md gives of the paper's comparison of ResNet18 on CIFAR-100: three
// methods at six levels.
func benchmark() []viz.LevelPanel {
	names := []string{"node-BNN", "SWAG", "cSG-HMC"}
	panel := func(metric string, means ...[]float64) viz.LevelPanel {
		p := viz.LevelPanel{Metric: metric}
		for i, mean := range means {
			p.Curves = append(p.Curves, viz.LevelCurve{Name: names[i], Mean: mean, Test: "CIFAR-100, 19 corruptions"})
		}
		return p
	}
	return []viz.LevelPanel{
		panel("ECE",
			[]float64{.0547, .0409, .0198, .0118, .0375, .0932},
			[]float64{.0372, .0159, .0142, .0380, .0748, .1365},
			[]float64{.0155, .0227, .0481, .0741, .1075, .1690}),
		panel("NLL",
			[]float64{.744, 1.204, 1.569, 1.859, 2.255, 2.885},
			[]float64{.727, 1.233, 1.632, 1.937, 2.361, 3.044},
			[]float64{.727, 1.250, 1.654, 1.972, 2.397, 3.101}),
		panel("Error",
			[]float64{.2042, .3098, .3890, .4424, .5075, .6118},
			[]float64{.2068, .3220, .4083, .4630, .5294, .6363},
			[]float64{.2003, .3175, .4032, .4592, .5281, .6363}),
	}
}

// The layout of the paper's Figure 10: three metrics of all methods under one legend.
func ExampleLevelPanels() {
	figure, err := viz.LevelPanels(benchmark()...)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_panels.png"); err != nil {
		log.Fatal(err)
	}
}

// The same methods as differences from one of them.
func ExampleLevelPanels_baseline() {
	panels := benchmark()
	for i := range panels {
		panels[i].Baseline = "SWAG"
	}
	figure, err := viz.LevelPanels(panels...)
	if err != nil {
		log.Fatal(err)
	}
	if err := figure.Save("testdata/level_baseline.png"); err != nil {
		log.Fatal(err)
	}
}

func ExampleLevelTable() {
	table, err := viz.LevelTable(viz.LevelPanel{Metric: "NLL", Curves: levelCurves()})
	if err != nil {
		log.Fatal(err)
	}
	text, err := table.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	//              level              0            1            2             3             4             5
	//   NLL (nats)  M16      .318 ± .041  .562 ± .052  .801 ± .058  1.057 ± .064  1.402 ± .079  2.061 ± .118
	//               M32      .262 ± .012  .471 ± .017  .689 ± .026   .912 ± .033  1.231 ± .045  1.802 ± .066
	//   mean ± standard deviation over 5 seeds
}

func ExampleCellTable() {
	m16 := viz.CellMap{
		Name: "M16", Metric: "Error", Corner: "severity", Rows: []string{"gaussian_noise", "fog"}, Columns: []string{"1", "3", "5"}, Seeds: 3,
		Mean: [][]float64{{0.214, 0.351, 0.488}, {0.118, 0.131, 0.274}},
		Std:  [][]float64{{0.011, 0.016, 0.021}, {0.004, 0.006, 0.012}},
	}
	m32 := m16
	m32.Name = "M32"
	m32.Mean = [][]float64{{0.187, 0.292, 0.401}, {0.121, 0.130, 0.252}}
	m32.Std = [][]float64{{0.009, 0.012, 0.017}, {0.005, 0.005, 0.010}}
	table, err := viz.CellTable(m16, m32)
	if err != nil {
		log.Fatal(err)
	}
	text, err := table.Text()
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(text)
	// Output:
	//   error (%)       severity             1           3           5
	//   gaussian noise  M16         21.4 ± 1.1  35.1 ± 1.6  48.8 ± 2.1
	//                   M32          18.7 ± .9  29.2 ± 1.2  40.1 ± 1.7
	//   fog             M16          11.8 ± .4   13.1 ± .6  27.4 ± 1.2
	//                   M32          12.1 ± .5   13.0 ± .5  25.2 ± 1.0
	//   mean ± standard deviation over 3 seeds
}
