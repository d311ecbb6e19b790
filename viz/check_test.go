package viz

import (
	"fmt"
	"math"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// checkError demands no figure and a message of this package, of one line, that holds want.
func checkError(t *testing.T, name string, figure *Figure, err error, want string) {
	t.Helper()
	testkit.ErrorOf(t, name, err, want, "viz", "score")
	if figure != nil {
		t.Errorf("%s: figure %v with the error %v", name, figure, err)
	}
}

// changed returns the values of which some were changed.
func changed[T any](value T, change func(*T)) T {
	change(&value)
	return value
}

// Curves that can't be drawn are refused by a sentence that names them.
func TestCurvesThatCannotBeDrawn(t *testing.T) {
	two, nan, inf := []float64{0.3, 0.7}, math.NaN(), math.Inf(1)
	level := func(change func(*Series)) []Series {
		return []Series{changed(Series{Name: "M16", Mean: two}, change)}
	}
	for want, curves := range map[string][]Series{
		"0 curves":            nil,
		"no name":             level(func(s *Series) { s.Name = "" }),
		`"M16" has no values`: level(func(s *Series) { s.Mean = nil }),
		"2 means and 1 standard dev": level(func(s *Series) {
			s.Std, s.Seeds = two[:1], 2
		}),
		"2 means and 0 standard dev": level(func(s *Series) {
			s.Std, s.Seeds = []float64{}, 2
		}),
		`"M32" has 1 levels and 2 in`: {{Name: "M16", Mean: two},
			{Name: "M32", Mean: two[:1]}},
		"2 means and 1 values of the": level(func(s *Series) { s.Paper = two[:1] }),
		`two curves are called "M16"`: {{Name: "M16", Mean: two},
			{Name: "M16", Mean: two}},
		"over 0 seeds": level(func(s *Series) { s.Std = two }),
		"-1 seeds":     level(func(s *Series) { s.Seeds = -1 }),
		"mean NaN at place 1": level(func(s *Series) {
			s.Mean = []float64{1, nan}
		}),
		"paper's value +Inf at place 0": level(func(s *Series) {
			s.Paper = []float64{inf, 1}
		}),
		"2 seeds and 1 lists": level(func(s *Series) {
			s.Seeds, s.Each = 2, [][]float64{two}
		}),
		"2 means and 0 values of a s": level(func(s *Series) {
			s.Seeds, s.Each = 2, [][]float64{two, {}}
		}),
		"the value NaN at place 0": level(func(s *Series) {
			s.Seeds, s.Each = 2, [][]float64{two, {nan, 1}}
		}),
		"standard deviation -1 at": level(func(s *Series) {
			s.Std, s.Seeds = []float64{-1, 1}, 2
		}),
		`no colour: give red`: level(func(s *Series) { s.Colour = "blue" }),
		"the Error 9.1 at place 0: give 0 to 1": level(func(s *Series) {
			s.Mean = []float64{9.1, 0}
		}),
	} {
		figure, err := LevelCurves("Error", curves)
		checkError(t, want, figure, err, want)
	}
	figure, err := LevelCurves("NNL", level(func(*Series) {}))
	checkError(t, "metric", figure, err, `did you mean "NLL"?`)
}

// So is all else that a figure can't draw.
func TestInputThatCannotBeDrawn(t *testing.T) {
	two, nan, inf, image := []float64{0.3, 0.7}, math.NaN(), math.Inf(1), make([]uint8, 12)
	three := image[:3]
	lines := func(line Line) (*Figure, error) { return Lines("x", "y", []Line{line}) }
	gammas := func(x []float64, others ...Series) (*Figure, error) {
		return GammaCurves("NLL", append([]Series{{Name: "a", X: x, Mean: two, Components: 1}},
			others...))
	}
	reliability := func(change func(*ReliabilityCurve)) (*Figure, error) {
		return Reliability([]ReliabilityCurve{
			changed(ReliabilityCurve{Name: "a", Confidence: two, Accuracy: two}, change)})
	}
	risk := func(x, mean float64) (*Figure, error) {
		return RiskCoverage([]Series{{Name: "a", X: []float64{x, 0.5},
			Mean: []float64{mean, 0}}})
	}
	dots := func(change func(*DotPlot)) (*Figure, error) {
		rows := []DotRow{{Name: "a", Mean: two}, {Name: "b", Mean: two}}
		return Dots(changed(DotPlot{Metric: "NLL", Panels: []string{"x", "y"}, Rows: rows}, change))
	}
	levels := func(series ...LevelDifference) (*Figure, error) {
		return LevelDifferences(LevelDifferencePlot{Series: series})
	}
	grid := func(change func(*ImageGrid)) (*Figure, error) {
		return CorruptionGrid(changed(ImageGrid{Height: 2, Width: 2, Pixels: [][][]uint8{{image}}},
			change))
	}
	gallery := func(change func(*Gallery)) (*Figure, error) {
		return Images(changed(Gallery{Height: 2, Width: 2, Pixels: [][]uint8{image}}, change))
	}
	implicit := func(change func(*Implicit)) (*Figure, error) {
		return ImplicitCorruptions(changed(Implicit{Height: 1, Width: 1,
			Image: []float64{0, 0.5, 1}, Masks: [][]float64{{0, 0, 0}}, Lambda: []float64{1}},
			change))
	}
	answers := func(change func(*Answers)) (*Figure, error) {
		return AnswerBars(changed(Answers{Classes: []string{"cat", "dog"}, Height: 1, Width: 1,
			Clean: three, By: []Answer{{Name: "a", Probabilities: two}}}, change))
	}
	cloud := func(change func(*Cloud)) (*Figure, error) {
		return PCAScatter(changed(Cloud{Draws: sixPoints, Corrupted: sixPoints[:1],
			Severity: []int{1}}, change))
	}
	cells := func(change func(*CellMap)) (*Figure, error) {
		good := CellMap{Name: "M16", Metric: "Error", Rows: []string{"fog"},
			Columns: []string{"1", "2"}, Mean: [][]float64{two}}
		bad := changed(good, change)
		if _, err := CellTable(good, bad); err == nil {
			return nil, fmt.Errorf("CellTable accepts %v", bad)
		}
		if bad.check() == nil {
			return DifferenceMap(good, bad)
		}
		return HeatMap(bad)
	}
	shifts := func(change func(*PlaneShifts)) (*Figure, error) {
		return ShiftPanels(changed(PlaneShifts{
			Points: sixPoints[:1], Labels: []int{2}, Probability: [][][]float64{{{0.2, 0.3, 0.5}}},
			Lengths: two[:1], Circles: [][][2]float64{sixPoints}, Draws: sixPoints,
			Outputs: [][][2]float64{sixPoints[:2]},
		}, change))
	}
	type outcome struct {
		figure *Figure
		err    error
	}
	of := func(f *Figure, err error) outcome { return outcome{f, err} }
	for want, got := range map[string]outcome{
		"2 values and 1 of place": of(lines(Line{Name: "a", X: two[:1], Y: two})),
		"1 places and 2 halves": of(lines(Line{Name: "a", X: two[:1], Y: two[:1],
			Half: two})),
		"an interval -1 at": of(lines(Line{Name: "a", X: two[:1], Y: two[:1],
			Half: []float64{-1}})),
		"a plot of 0 strips": of(Strips(StripPlot{})),
		`"a" has no valu`:    of(Strips(StripPlot{Strips: []Strip{{Name: "a"}}})),
		"the value +Inf": of(
			Strips(StripPlot{Strips: []Strip{{Name: "a", Values: []float64{inf}}}})),
		"2 values and 1 of gamma":             of(gammas(two[:1])),
		"gamma -1 at place 0: give 0 or more": of(gammas([]float64{-1, 2})),
		"gamma +Inf":                          of(gammas([]float64{1, inf})),
		"1 and 0 components": of(gammas(two,
			Series{Name: "b", X: two, Mean: two})),
		`the axes "" and "K"`: of(gammas(two, Series{Name: "b", X: two, Mean: two,
			Components: 1, Axis: "K"})),
		"with [0] passes": of(AgainstPasses("NLL",
			[]Series{{Name: "a", X: []float64{0}, Mean: []float64{1}}})),
		"begins at epoch -1": of(EpochCurves("KL",
			[]Series{{Name: "a", Mean: two, First: -1}})),
		"-1 latent variables": of(
			EntropyCurves([]Series{{Name: "a", Mean: two, Latents: -1}})),
		"prior's entropy NaN": of(
			EntropyCurves([]Series{{Name: "a", Mean: two, Prior: nan}})),
		"2 values and 1 of confidence": of(reliability(func(c *ReliabilityCurve) {
			c.Confidence = two[:1]
		})),
		"confidence 70 at place 1": of(reliability(func(c *ReliabilityCurve) {
			c.Confidence = []float64{0.3, 70}
		})),
		"confidence 0.3 after 0.7": of(reliability(func(c *ReliabilityCurve) {
			c.Confidence = []float64{0.7, 0.3}
		})),
		"accuracy 1.2 at place 1": of(reliability(func(c *ReliabilityCurve) {
			c.Accuracy = []float64{0.2, 1.2}
		})),
		"ECE 1.2 at place 0: give 0 to 1": of(reliability(func(c *ReliabilityCurve) {
			c.ECE = 1.2
		})),
		"2 bins and 1 counts": of(reliability(func(c *ReliabilityCurve) {
			c.Count = []int{1}
		})),
		"0 predictions in bin 1": of(reliability(func(c *ReliabilityCurve) {
			c.Count = []int{1, 0}
		})),
		"risk 12 at place 0":           of(risk(0.1, 12)),
		"coverage 0 at place 0":        of(risk(0, 0)),
		"coverage 0.5 after 1":         of(risk(1, 0)),
		"no row of the dots is called": of(dots(func(p *DotPlot) { p.Baseline = "SAM" })),
		"isn't one of 2 rows": of(dots(func(p *DotPlot) {
			p.Order = []int{0, 0}
		})),
		"2 means and 1 panels": of(dots(func(p *DotPlot) {
			p.Panels = p.Panels[:1]
		})),
		"a plot of 0 differences: give at": of(Differences(DifferencePlot{})),
		"has the difference NaN": of(
			Differences(DifferencePlot{Differences: []Difference{{Name: "a", Mean: nan}}})),
		"ends at 1 before it begins": of(
			Differences(DifferencePlot{
				Differences: []Difference{{Name: "a", Interval: &[2]float64{2, 1}}}})),
		"a plot of 0 differences": of(levels()),
		`are called "a"`: of(
			levels(LevelDifference{"a", make([]Difference, 1)},
				LevelDifference{"a", make([]Difference, 1)})),
		`"a" has 0 levels`: of(levels(LevelDifference{Name: "a"})),
		`"b" has 2 levels`: of(
			levels(LevelDifference{"a", make([]Difference, 1)},
				LevelDifference{"b", make([]Difference, 2)})),
		`"a, level 1" has the difference`: of(
			levels(LevelDifference{"a", []Difference{{}, {Mean: nan}}})),
		"0 x 2 pixels":          of(grid(func(g *ImageGrid) { g.Height = 0 })),
		"a grid without images": of(grid(func(g *ImageGrid) { g.Pixels = nil })),
		"at least one row of one": of(grid(func(g *ImageGrid) {
			g.Pixels = [][][]uint8{{}}
		})),
		"1 rows and 2 row captions": of(grid(func(g *ImageGrid) {
			g.Rows = []string{"a", "b"}
		})),
		`"severity": give the captions`: of(grid(func(g *ImageGrid) {
			g.Corner = "severity"
		})),
		"1 columns and 0 column captions": of(grid(func(g *ImageGrid) {
			g.Columns = []string{}
		})),
		"row 1 of a grid has 1 images and 2": of(grid(func(g *ImageGrid) {
			g.Pixels = [][][]uint8{{image, image}, {image}}
		})),
		"1 images and 2 captions": of(grid(func(g *ImageGrid) {
			g.Captions = [][]string{{"a", "b"}}
		})),
		"12 values for 2 x 2 RGB and 11 bytes": of(grid(func(g *ImageGrid) {
			g.Pixels = [][][]uint8{{image[:11]}}
		})),
		"-1 pixels of the screen":  of(grid(func(g *ImageGrid) { g.Side = -1 })),
		"a gallery without images": of(gallery(func(g *Gallery) { g.Pixels = nil })),
		"-1 columns":               of(gallery(func(g *Gallery) { g.Columns = -1 })),
		"a gallery has 1 images and 2": of(gallery(func(g *Gallery) {
			g.Captions = []string{"a", "b"}
		})),
		"18 values for 2 x 3 RGB and 12": of(gallery(func(g *Gallery) { g.Width = 3 })),
		"2 values, want 3": of(implicit(func(m *Implicit) {
			m.Image = m.Image[:2]
		})),
		"without implicit corruptions": of(implicit(func(m *Implicit) { m.Masks = nil })),
		"1 masks and 0 lambdas":        of(implicit(func(m *Implicit) { m.Lambda = nil })),
		"the lambda 0 at place 0": of(implicit(func(m *Implicit) {
			m.Lambda = []float64{0}
		})),
		"the value 128 at place 1": of(implicit(func(m *Implicit) {
			m.Image = []float64{0, 128, 255}
		})),
		"3 values and 2 values of a mask": of(implicit(func(m *Implicit) {
			m.Masks = [][]float64{two}
		})),
		"the change NaN": of(implicit(func(m *Implicit) {
			m.Masks = [][]float64{{0, 0, nan}}
		})),
		"1 answers to an image": of(implicit(func(m *Implicit) {
			m.Answers = []string{"cat"}
		})),
		"answers of no classifier": of(answers(func(a *Answers) { a.By = nil })),
		"the true class 2 of 2":    of(answers(func(a *Answers) { a.Truth = 2 })),
		"2 classes and 0 probabilities": of(answers(func(a *Answers) {
			a.By = []Answer{{}}
		})),
		"2 classes and 1 probabilities befo": of(answers(func(a *Answers) {
			a.By = []Answer{{Probabilities: two, Before: two[:1]}}
		})),
		"the probability NaN": of(answers(func(a *Answers) {
			a.By = []Answer{{Probabilities: []float64{0, nan}}}
		})),
		"3 values for 1 x 1 RGB and 2 bytes": of(answers(func(a *Answers) {
			a.Clean = three[:2]
		})),
		"a scatter of 0 clouds":            of(PCAScatter()),
		"0 points have no ellipse":         of(cloud(func(c *Cloud) { c.Draws = nil })),
		"1 corrupted versions and 0 sever": of(cloud(func(c *Cloud) { c.Severity = nil })),
		"1 corrupted versions and 0 names": of(cloud(func(c *Cloud) {
			c.Corruption = []string{}
		})),
		"1 corrupted versions and 2 answers": of(cloud(func(c *Cloud) {
			c.Tests = []CloudTest{{Inside: make([]bool, 2)}}
		})),
		"the severity 6 at": of(cloud(func(c *Cloud) { c.Severity = []int{6} })),
		"the share of variance 18 at place 1": of(cloud(func(c *Cloud) {
			c.Share = [2]float64{0.5, 18}
		})),
		"the coordinate NaN":     of(cloud(func(c *Cloud) { c.Clean[0] = nan })),
		"a map without cells":    of(cells(func(m *CellMap) { m.Rows = nil })),
		`did you mean "NLL"?`:    of(cells(func(m *CellMap) { m.Metric = "NNL" })),
		`map "M16" has no value`: of(cells(func(m *CellMap) { m.Mean = nil })),
		"1 rows and 2 rows of means": of(cells(func(m *CellMap) {
			m.Mean = [][]float64{two, two}
		})),
		"2 columns and 1 means in row 0": of(cells(func(m *CellMap) {
			m.Mean = [][]float64{two[:1]}
		})),
		"2 columns and 1 standard dev": of(cells(func(m *CellMap) {
			m.Seeds, m.Std = 2, [][]float64{two[:1]}
		})),
		"row 0 of map \"M16\" has the Error 42 at place 1: give 0 to 1": of(cells(func(m *CellMap) {
			m.Mean = [][]float64{{nan, 42}}
		})),
		"has -1 seeds": of(cells(func(m *CellMap) { m.Seeds = -1 })),
		"standard deviations over 0 seeds": of(cells(func(m *CellMap) {
			m.Std = [][]float64{two}
		})),
		"standard deviation NaN at place 1": of(cells(func(m *CellMap) {
			m.Seeds, m.Std = 2, [][]float64{{0, nan}}
		})),
		`rows ["snow"]`: of(cells(func(m *CellMap) {
			m.Rows = []string{"snow"}
		})),
		`columns ["1" "3"]: give the same`: of(cells(func(m *CellMap) {
			m.Columns = []string{"1", "3"}
		})),
		"is of Error, rows":     of(cells(func(m *CellMap) { m.Metric = "ECE" })),
		"shifts of 0 networks":  of(ShiftPanels()),
		"1 points and 0 labels": of(shifts(func(p *PlaneShifts) { p.Labels = nil })),
		"go beyond 0 to 2": of(shifts(func(p *PlaneShifts) {
			p.Labels = []int{3}
		})),
		"no predictions of three classes": of(shifts(func(p *PlaneShifts) {
			p.Probability = [][][]float64{{{1}}}
		})),
		"1 lengths of shifts and 0 circles": of(shifts(func(p *PlaneShifts) { p.Circles = nil })),
		"2 points have no ellipse": of(shifts(func(p *PlaneShifts) {
			p.Draws = sixPoints[:2]
		})),
		"a column of 0 figures":      of(Column()),
		"figure 1 of the row is nil": of(SharedGrid([]*Figure{nil})),
		"a row of 0 figures":         of(HeatMap()),
		"is of Error and": of(HeatMap(CellMap{Metric: "Error",
			Rows: []string{"a"}, Columns: []string{"b"}, Mean: [][]float64{{0}}}, CellMap{
			Metric: "ECE", Rows: []string{"a"}, Columns: []string{"b"}, Mean: [][]float64{{0}}})),
		// Two curves of one hue change their dashes with their order, which one legend can't show,
		// and it has room for one calibration error of a method.
		`"M16 b" has two looks`: of(SharedGrid([]*Figure{levelFigure(t, "M16 a",
			"M16 b"), levelFigure(t, "M16 b", "M16 a")})),
		`"mean ECE 0.100" and "mean ECE 0.200"`: of(SharedGrid([]*Figure{
			testkit.Must(reliability(func(c *ReliabilityCurve) {
				c.ECE = 0.1
			}))(t), testkit.Must(reliability(func(c *ReliabilityCurve) { c.ECE = 0.2 }))(t),
		})),
	} {
		checkError(t, want, got.figure, got.err, want)
	}
}

// Draws, points and tables that can't be used are refused, too.
func TestInputThatCannotBeUsed(t *testing.T) {
	same := make([][]float64, 8)
	for i := range same {
		same[i] = []float64{1, 2}
	}
	project := func(draws ...[]float64) error { _, err := NewProjection(draws, 2); return err }
	ellipse := func(points ...[2]float64) error { _, err := NewEllipse(points); return err }
	text := func(table Table) error { _, err := table.As("txt"); return err }
	levels := func(panels ...LevelPanel) error { _, err := LevelTable(panels...); return err }
	_, otherLayer := testkit.Must(NewProjection([][]float64{{1, 2}, {2, 3}, {1, 4}}, 2))(t).Project(
		[]float64{1})
	for _, test := range []struct {
		err  error
		want string
	}{
		{project(same[:2]...), "at least 3 draws"},
		{project([]float64{1, 2}, []float64{2, 3}, []float64{1}),
			"draw 2 has 1 values and 2 in draw 0"},
		{project([]float64{1, 2}, []float64{2, 3}, []float64{1, math.NaN()}),
			"draw 2 has the value NaN"},
		{project([]float64{1e200, 1}, []float64{-1e200, 2}, []float64{0, 1e200}),
			"scale them down"},
		{project([]float64{1, 2}, []float64{2, 4}, []float64{3, 6}), "fewer than two directions"},
		{project(same...), "fewer than two directions"},
		{otherLayer, "point 0 has 1 values and 2 in the projection"},
		{ellipse(), "0 points have no ellipse"},
		{ellipse([2]float64{0, 0}, [2]float64{1, 1}), "have no ellipse"},
		{ellipse([2]float64{0, 0}, [2]float64{1, 2}, [2]float64{2, 4}, [2]float64{3, 6}),
			"have no ellipse"},
		{ellipse([2]float64{0, 0}, [2]float64{1, 2}, [2]float64{math.Inf(1), 0}),
			"have no ellipse"},
		{text(Table{}), "0 columns"},
		{text(Table{Header: []string{"a", "b"}, Rows: [][]string{{"1", "2"}, {"1"}}}),
			"row 1 of the table has 1 cells and 2 columns"},
		{text(Table{Header: []string{"a"}, Labels: 2}),
			"number of labels 2 at place 0: give 0 to 1"},
		{levels(), "0 metrics"},
		{levels(LevelPanel{"NLL", []LevelCurve{{Name: "a", Mean: make([]float64, 5)}}},
			LevelPanel{"ECE", []LevelCurve{{Name: "a", Mean: make([]float64, 6)}}}),
			"ECE has 6 levels and NLL has 5"},
		{checkValues(metricOf(t, "NLL"), `"a"`, []float64{-1}),
			`"a" has the NLL -1 at place 0: give 0 or more`},
	} {
		checkError(t, test.want, nil, test.err, test.want)
	}
	// A registered metric may be negative.
	testkit.NoError(t,
		checkValues(score.Metric{Name: "Margin",
			Of: score.MeanOverImages(func([]float64, int) float64 {
				return -1
			})}, `"a"`, []float64{-1}))
}
