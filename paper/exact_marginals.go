package paper

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/nbbnn/network"
	"github.com/nbbnn/workbench/viz"
)

// marginals are of three latents of the first seed, with the weights of γ = 0, at percentiles of
// the ratio of the draws' standard deviation to q's. Package lab reads their file as a record.
type marginals struct {
	Finding string     `json:"finding"`
	Subject string     `json:"subject"`
	Nodes   []marginal `json:"nodes"`
}

// marginal has the density of a latent's draws in bins, and the mean and the standard deviation of
// q, of the network of γ = 16, too.
type marginal struct {
	Node    string     `json:"node"`
	Middles []float64  `json:"z"` // of the bins
	Density []float64  `json:"density"`
	Plain   [2]float64 `json:"q_gamma_0"`
	Wide    [2]float64 `json:"q_gamma_16"`
}

// marginalsOf returns a result's marginals; none if its figure samples no latents.
func marginalsOf(r *Result) (m marginals) {
	plain, wide := r.of(plainExact), r.of(wideExact)
	if len(plain)*len(wide) == 0 || plain[0].Exact.draws == nil {
		return m
	}
	exact, widths := plain[0].Exact, plain[0].Exact.all().widths
	order, ratios := make([]int, len(widths)), ""
	floats.Argsort(widths, order)
	for _, percentile := range []int{10, 50, 90} {
		place := len(order) - 1 - len(order)*percentile/100
		node := exact.marginal(order[place])
		node.Node += fmt.Sprintf(" (percentile %d)", percentile)
		node.Wide = wide[0].Exact.gaussian(order[place])
		m.Nodes = append(m.Nodes, node)
		ratios += fmt.Sprintf(", %.2f", math.Exp2(-widths[place]))
	}
	m.Finding = "Width of the draws, divided by q's: " + ratios[2:]
	m.Subject = fmt.Sprintf("%s, seed %d. γ = 16 has weights of its own",
		subjectNetwork(r.Setup.Config), plain[0].Seed)
	return m
}

// gaussian returns the mean and the standard deviation of q.
func (e exactness) gaussian(latent int) [2]float64 {
	mean, sigma := network.JoinPosterior(e.q)
	return [2]float64{mean[0][latent], sigma[0][latent]}
}

// marginal counts the draws of a latent in 12 bins.
func (e exactness) marginal(latent int) marginal {
	var values []float64
	for _, z := range e.draws {
		values = append(values, z[latent])
	}
	slices.Sort(values)
	borders := floats.Span(make([]float64, 13), values[0],
		math.Nextafter(values[len(values)-1], math.Inf(1)))
	m := marginal{Density: stat.Histogram(nil, borders, values, nil), Plain: e.gaussian(latent)}
	width := borders[1] - borders[0]
	floats.Scale(1/(width*float64(len(values))), m.Density)
	m.Middles = borders[:12]
	floats.AddConst(width/2, m.Middles)
	layer := 0
	for ; latent >= len(e.q[layer].Mean[0]); layer++ {
		latent -= len(e.q[layer].Mean[0])
	}
	m.Node = fmt.Sprintf("%s, node %d", e.q[layer].Name, latent+1)
	return m
}

// save writes the picture and the file of a result that has marginals.
func (m marginals) save(save func(ending string, write func(path string) error)) {
	if m.Nodes == nil {
		return
	}
	save("-marginals.png", func(path string) error {
		figure, err := m.draw()
		if err != nil {
			return err
		}
		return figure.Save(path)
	})
	save("-marginals.json", func(path string) error {
		return files.Write(path, func(w io.Writer) error { return files.WriteJSON(w, m) })
	})
}

// draw draws a panel for each latent, one below the other, since phones are narrow.
func (m marginals) draw() (*viz.Figure, error) {
	var b board
	for _, node := range m.Nodes {
		b.row()
		b.add(viz.Lines("z", "density", []viz.Line{bell(plainQ, node.Plain), bell(wideQ, node.Wide),
			{Name: plainExact, X: node.Middles, Y: node.Density, Points: true}}))
		b.title(node.Node)
	}
	figure, err := b.arranged(viz.SharedGrid)
	if err != nil {
		return nil, err
	}
	return figure.Headed(m.Finding, m.Subject), nil
}

// bell draws a Gaussian.
func bell(name string, q [2]float64) viz.Line {
	line := viz.Line{Name: name, X: floats.Span(make([]float64, 61), q[0]-3*q[1], q[0]+3*q[1])}
	for _, z := range line.X {
		line.Y = append(line.Y, distuv.Normal{Mu: q[0], Sigma: q[1]}.Prob(z))
	}
	return line
}
