package paper

import (
	_ "embed"
	"encoding/json"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/nbbnn/score"
)

// Published is a curve of the paper: the mean and the standard deviation over its runs at the
// levels 0 to 5. It is drawn with runs on the same data set and network.
type Published struct {
	Data, Network, Method, Metric string
	Corruptions                   int // over which levels 1 to 5 are averaged; 0 if unknown
	Mean, Std                     [score.LevelCount]float64
}

// publishedSweeps are the curves of the paper's Figure 6 or 8, with noise on the outputs: the mean
// negative log-likelihood over its runs, at the same step of gamma / K from 0 on.
type publishedSweeps struct {
	Network, Data string
	LabelNoise    float64
	Curves        []struct {
		Split string
		K     int
		NLL   []float64
	}
}

// publishedStep is the step of gamma / K of the paper's sweeps.
const publishedStep = 4

//go:embed published.json
var publishedText []byte

// published holds the paper's numbers (METHOD.md section 6).
var published = readPublished()

// publishedNumbers are the numbers of the paper by figure and table.
type publishedNumbers struct {
	Figure3  []Published // on the right: means over 25 runs and all 19 corruptions
	Figure10 []Published // ResNet18 on CIFAR-100, read off a slide: three methods, no ensembles; few standard deviations
	Figure11 []Published // PreActResNet18 on TinyImageNet; whether they average 15 or 19 corruptions isn't known

	Figure6 publishedSweeps // VGG16 on CIFAR-100 with noise on the outputs: means over 5 runs and 19 corruptions
	Figure8 publishedSweeps // with 40 % of wrong labels: ResNet18 on CIFAR-10 with four components, means over its runs

	// Figure5 are means over 10 runs for four lambdas. Its clean values differ a little from lambda to
	// lambda.
	Figure5 []struct {
		Method, By string
		NLL        []float64
	}

	Table2 map[string]map[string]int // seconds of a training on a V100, by network and data set, then by method
}

func readPublished() (numbers publishedNumbers) {
	if err := json.Unmarshal(publishedText, &numbers); err != nil {
		panic(err) // the file is ours
	}
	return numbers
}

// published returns the paper's numbers of a line for the same data, network and lambdas.
func (c crossCurve) published(r *Result) []float64 {
	config := r.Setup.Config.WithDefaults()
	lambdas := r.Setup.filledImplicit().Lambda
	if config.Data.Name != dataset.CIFAR10 || config.Network.Name != "allcnnc" || numbersText(lambdas) != "0.01 0.03 0.1 0.3" {
		return nil
	}
	return c.inPaper()
}

// inPaper returns the paper's numbers of a line, whatever the runs are.
func (c crossCurve) inPaper() []float64 {
	for _, p := range published.Figure5 {
		if p.Method == c.method && p.By == c.by {
			return p.NLL
		}
	}
	return nil
}
