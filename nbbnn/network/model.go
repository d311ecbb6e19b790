package network

import (
	"slices"
	"strings"

	. "github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"github.com/gomlx/gomlx/ml/model"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/engine"
)

// Model is a node-BNN in memory: its architecture, its variables, the statistics of its training
// images and the engine that computes it.
type Model struct {
	Settings      Settings   // filled
	Classes       int        // of the data set
	Height, Width int        // of the images, in pixels
	Mean, Std     [3]float64 // of the pixels of the training set, by channel, in 0..1

	Architecture Architecture
	Engine       *engine.Engine // that computes the network
	Noise        string         // where the draws of the latents are made

	store *model.Store
	fixed Latents  // of predictions; "" draws them
	scale *float64 // of the latents' standard deviations in predictions; nil means 1
	// of a prediction's batch, by whose statistics it normalises; 0 means the running ones
	batchImages int

	// Observe receives, whenever a forward pass is built, the name and the output of every layer,
	// of the ReLU after a layer, and of every batch normalisation in training. It may be nil.
	Observe func(name string, x *Node)
}

// ModelOptions choose where a network is computed. The zero value is right for all but comparisons.
type ModelOptions struct {
	// Engine nil means the engine of the process.
	Engine *engine.Engine
	// Noise is where noise is drawn; "" means on the device if the engine has one, otherwise the
	// host.
	Noise string
}

// NewModel returns a network with its initial values, for the images of a data set.
func NewModel(
	settings Settings, data *dataset.Dataset, options ModelOptions,
) (m *Model, err error) {
	m = &Model{
		Settings: settings.WithDefaults(), Classes: len(data.Classes),
		Height: data.Train.Height, Width: data.Train.Width, Mean: data.Mean, Std: data.Std,
		Engine: options.Engine, Noise: options.Noise,
	}
	if p := m.Settings.Pixels; p != (dataset.Normalisation{}) {
		m.Mean, m.Std = p.Mean, p.Std
	}
	if err := m.Settings.Validate(); err != nil {
		return nil, err
	}
	if m.Engine == nil {
		if m.Engine, err = engine.Open(); err != nil {
			return nil, err
		}
	}
	if err := checkPrecision(m.Settings.Network.Precision, m.Engine); err != nil {
		return nil, err
	}
	switch {
	case m.Noise == "" && m.Engine.IsDevice():
		m.Noise = DeviceNoise
	case m.Noise == "":
		m.Noise = HostNoise
	}
	m.Architecture = m.Settings.Network.Architecture(m.Classes)
	if err := m.Architecture.CheckSize(m.Settings.Network.Name, m.Height, m.Width); err != nil {
		return nil, err
	}
	if net := m.Architecture.graph; net != nil {
		if err := net.check(m); err != nil {
			return nil, err
		}
	}
	m.store, err = newStore(m.Architecture, m.Settings)
	return m, err
}

// With returns the same network with other predictions: with its latents fixed, or drawn for ""
// with their standard deviations multiplied by a factor; and, unless images is 0, with batch
// normalisations that use the statistics of the batch itself, all samples of that many images (Nado
// et al. 2020). Both have the same variables.
func (m *Model) With(latents Latents, factor float64, images int) *Model {
	other := *m
	other.fixed, other.scale, other.batchImages = latents, nil, images
	if factor != 1 {
		other.scale = &factor
	}
	return &other
}

// logProbabilities is Logits after the softmax, [batch, samples, classes].
func (m *Model) logProbabilities(images *Node, samples int, noise []*Node) *Node {
	return m.asLogProbabilities(m.Logits(images, samples, noise), images.Shape().Dim(0), samples)
}

func (m *Model) asLogProbabilities(logits *Node, images, samples int) *Node {
	return Reshape(LogSoftmax(logits), images, samples, m.Classes)
}

// Logits adds the forward pass to a graph: normalised images [batch, height, width, 3] and the
// layers' noise, as EvaluationNoise returns it, to logits before the softmax, [batch*samples,
// classes].
func (m *Model) Logits(images *Node, samples int, noise []*Node) *Node {
	return forward(m, newPass(m, images.Graph(), samples, false), images, noise)
}

// ExpectedLogits returns the mean of the logits over samples whose draws are the same for every
// image, [batch, classes]. The noise is one image's.
func (m *Model) ExpectedLogits(images *Node, samples int, noise []*Node) *Node {
	rows, layers := images.Shape().Dim(0), m.drawnLayers(false)
	p := newPass(m, images.Graph(), samples, false)
	draws := slices.Clone(m.layerDraws(noise, 1, samples, false))
	for i, draw := range draws {
		draws[i] = repeatForAll(draw, rows)
	}
	p.sample(layers, draws)
	logits := p.logits(m.Architecture, images) // [rows*samples, classes]
	return ReduceMean(Reshape(logits, rows, samples, m.Classes), 1)
}

// repeatForAll gives every image the same draws, [samples, D] to [images*samples, D].
func repeatForAll(draws *Node, images int) *Node {
	samples, width := draws.Shape().Dim(0), draws.Shape().Dim(1)
	repeated := BroadcastToDims(ExpandAxes(draws, 0), images, samples, width)
	return Reshape(repeated, images*samples, width)
}

// Normalised returns images as the network sees them, each repeated, [images*copies, height, width,
// 3].
func (m *Model) Normalised(images dataset.Images, copies int) *tensors.Tensor {
	size := images.Height * images.Width * 3
	values := make([]float32, 0, images.Count()*copies*size)
	for i := range images.Count() {
		for range copies {
			for k, pixel := range images.Pixels[i*size:][:size] {
				values = append(values, float32((float64(pixel)/255-m.Mean[k%3])/m.Std[k%3]))
			}
		}
	}
	rows := images.Count() * copies
	return tensors.FromFlatDataAndDimensions(values, rows, images.Height, images.Width, 3)
}

// pixelNormalisation maps pixels, from 0..255, to mean zero and standard deviation one per channel
// of the data set: it multiplies by scale and adds shift, both [3].
func (m *Model) pixelNormalisation(g *Graph) (scale, shift *Node) {
	var factors, terms [3]float32
	for c := range factors {
		factors[c], terms[c] = float32(1/(255*m.Std[c])), float32(-m.Mean[c]/m.Std[c])
	}
	return Const(g, factors[:]), Const(g, terms[:])
}

// normalise returns normalised pixels, [images, height, width, 3].
func (m *Model) normalise(pixels *Node) *Node {
	scale, shift := m.pixelNormalisation(pixels.Graph())
	return Add(Mul(pixels, Reshape(scale, 1, 1, 1, 3)), Reshape(shift, 1, 1, 1, 3))
}

// Variables copies all variables of the network, sorted by name.
func (m *Model) Variables() ([]Tensor, error) { return storeTensors(m.store) }

// SetVariables gives every variable of the network, or only its weights and running statistics, the
// value of its tensor, and ignores other tensors. The error names what is missing or has another
// shape: "has no theta.conv1.bias, want [16]".
func (m *Model) SetVariables(values []Tensor, weightsAlone bool) error {
	return setTensors(m.store, values, func(path string) bool {
		return !weightsAlone || isWeight(path)
	})
}

// Renormaliser prepares the recomputation of the running statistics of batch normalisation on
// training images: averaged or drawn weights have none. The function that it returns sets them for
// the network's current weights to the average over the batches of one pass, with the views of
// training. Every call sees the same batches; after each it calls report, which may be nil. It does
// nothing for a network without batch normalisation.
func (m *Model) Renormaliser(images dataset.Images) (renormaliser, error) {
	return newRenormaliser(m, images)
}

// LatentLikelihood prepares the log-likelihood of labelled images as a function of one value z of
// all latents, in the order of JoinPosterior, which the images share: in nats, with its gradient by
// z and the number of images whose likeliest class is wrong. Weights and running statistics are
// constants. The images are computed in batches of a size.
func (m *Model) LatentLikelihood(images dataset.Images, batch int) (
	at func(z []float64) (value float64, gradient []float64, wrong float64, err error), err error,
) {
	l, err := newLatentLikelihood(m, images, batch)
	if err != nil {
		return nil, err
	}
	return l.at, nil
}

// ImportTensors sets the variables of the network, except an update rule's buffers, to the tensors
// of a file in either Layout, detected from their names. The file must have every tensor of the
// network with its shape, and no other. It removes the prefix that wrappers of PyTorch put in front
// of all names, and ignores other tensors, for example averaged weights with another prefix. The
// notes say so. Errors name the path.
func (m *Model) ImportTensors(path string, stored []Tensor) (notes []string, err error) {
	if stored, notes, err = unwrapped(m, path, stored); err != nil {
		return nil, err
	}
	file := importedFile{
		path: path, settings: m.Settings, tensors: map[string]Tensor{}, theirs: true,
		layers: m.Architecture.layers,
	}
	for _, tensor := range stored {
		file.tensors[tensor.Name] = tensor
		file.theirs = file.theirs && !strings.HasPrefix(tensor.Name, thetaPrefix)
	}
	name, mode := m.Settings.Network.Name, m.Settings.Posterior.Mode
	for _, entry := range referenceEntries(name, m.Architecture, mode) {
		v := m.store.GetVariable(entry.path)
		data, err := file.take(entry, v)
		if err == nil {
			err = setVariable(v, data)
		}
		if err != nil {
			return nil, err
		}
	}
	return notes, file.checkRest()
}

// ExportONNX returns the prediction of the network as a file in the ONNX format: from images, bytes
// [batch, height, width, 3], to log_probabilities [batch, samples, classes]. The noise of each
// layer is an input noise/LAYER of standard normal numbers, [batch*samples, latents], as
// EvaluationNoise draws them; or with sampling the file draws it, and the number of samples is the
// input samples, [1]. Sample s uses component s mod K. Metadata are pairs of keys and values.
func (m *Model) ExportONNX(sampling bool, metadata ...[2]string) ([]byte, error) {
	return exportONNX(m, sampling, metadata)
}
