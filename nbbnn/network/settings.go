package network

import (
	"cmp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/dataset"
)

// Settings hold everything that the weights of a network depend on, except its images: equal
// settings and images give equal weights. The zero value trains the published All-CNN-C.
type Settings struct {
	Network   Network
	Posterior Posterior
	Objective Objective
	Training  Training
	Seed      uint64 // of every stream of random numbers; 0 is a seed like any other

	// Dropout is the probability with which a network without latents drops an input in training
	// and in predictions: of the layers that have dropout, or if none has, of all layers but the
	// first, where channels are dropped whole. 0 means none, but in training the layers' own.
	Dropout float64 `json:",omitempty" range:"(0,1)"`

	// FrozenWeights trains only the posterior, for a network whose weights SetVariables sets. Batch
	// normalisation uses the running statistics, which stay as they are. A posterior of one
	// component starts at N(1, InitStd^2) for every latent; several components start as in other
	// trainings.
	FrozenWeights bool `json:",omitempty"`
	// Pixels is the normalisation of the images; zero means the data set's.
	Pixels dataset.Normalisation `json:",omitzero"`
}

// Network is the architecture.
type Network struct {
	// Name is one of Names, or a network added with Define; "" means "allcnnc".
	Name string `json:"name" help:"architecture"`
	// Width is the number of channels of the first layers; 0 means the published width, 96 for
	// allcnnc and 64 for the others.
	Width int `json:"width" range:"[1,65536]" from:"network" help:"channels of the first layers; if left out, the published width"`
	// Form "" means Published, or Narrow for an allcnnc of another width than the published one.
	Form string `json:"form" from:"network width" values:"published narrow" help:"variant of allcnnc: published (its initial values, ReLU on the logits) or narrow (He-normal weights, no ReLU there); empty means narrow for another width than the published one"`
	// Precision of convolutions and activations; "" means float32.
	Precision string `json:"precision,omitempty" values:"bfloat16" help:"precision of convolutions and activations: empty means float32, and bfloat16 needs XLA"`
	// NoDropout removes the dropout of 0.5 before the first two dense layers of a vgg16 without
	// latents.
	NoDropout bool `json:"no_dropout,omitempty"`
	// Latents lists the layers with latents: names as in Layers, or patterns in which * is any
	// text, separated by commas or spaces. "" means all but those with NoLatents.
	Latents string `json:"latents,omitempty" of:"nodebnn" help:"layers with latents, as in 'stage4/*,dense': names, or patterns with * for any text, separated by commas or spaces; empty means all"`
	// Fingerprint identifies the layers of a network added with Define; "" means this program's.
	Fingerprint string `json:"fingerprint,omitempty"`
}

// Forms are variants of an architecture: how it's initialised, and what follows the last layer.
// METHOD.md 4.2 explains why a narrow All-CNN-C needs another; the other networks are
// Published at any width.
const (
	Published = "published" // as in the paper: uniform weights and biases, ReLU on the logits
	Narrow    = "narrow"    // He-normal weights, zero biases, no ReLU on the logits
)

// Precisions are types in which a network computes its convolutions and keeps the values between
// its layers. Weights and their updates, the posterior and its samples, bias, batch normalisation,
// dense layers, KL and loss are always float32.
const (
	float32Precision = ""
	bfloat16         = "bfloat16" // 8 bits of precision; for GPUs with tensor cores
)

const signLaw = "sign" // of Posterior.Law

// Posterior is the mixture of Gaussians over the latents of every layer, and its prior N(1,
// PriorStd^2).
type Posterior struct {
	// Components is the number K of components of the mixture, at most 256; 0 means 1.
	Components int `json:"components" range:"[1,256]" of:"nodebnn" neutral:"1" help:"components K of the posterior, at most 256"`
	// Mode is the noisy side of a layer; "" means Output.
	Mode Mode `json:"mode" of:"nodebnn" neutral:"none" values:"out in both none" help:"noisy side of each layer: out, in, both, or none for an ordinary network; empty means out"`
	// InitStd is the centre of the initial standard deviations; 0 means the network's published
	// value, 0.32 for All-CNN-C.
	InitStd float64 `json:"init_std" range:"(0,1e38]" of:"nodebnn" help:"initial standard deviation of the posterior; if left out, the network's published value"`
	// Law is the shape of the noise: "" means Gaussian, "sign" mean + sigma or mean - sigma with
	// equal chances. The objective stays the Gaussian's, so with "sign" it isn't an ELBO.
	Law      string  `json:"law,omitempty" of:"nodebnn" values:"sign" help:"law of the noise: sign for mean + sigma or mean - sigma, empty for a Gaussian"`
	PriorStd float64 `json:"prior_std" range:"(0,1e38]" of:"nodebnn" from:"init-std" help:"standard deviation of the prior; if left out, the initial one of the posterior"`
}

// Mode is the side of a layer that its latents multiply.
type Mode string

// The modes.
const (
	Output Mode = "out"  // the output channels, s in equation 1 of the paper
	Input  Mode = "in"   // the input channels, z
	Both   Mode = "both" // either side

	Deterministic Mode = "none" // neither: an ordinary network, the twin of a node-BNN
)

// Latents is a fixed value of all latent variables (METHOD.md section 2).
type Latents string

// The fixed values.
const (
	OneLatents  Latents = "ones" // every latent is one: the network without its noise
	MeanLatents Latents = "mean" // every latent is the average of its component means
)

// Objective is the training objective, the gamma-ELBO (METHOD.md section 3).
type Objective struct {
	// Gamma is the weight of the additional entropy: 0 is the plain ELBO. -1 removes the entropy,
	// and nothing keeps the posterior from vanishing: without data its standard deviation is the
	// prior's times sqrt(1 + gamma).
	Gamma float64 `json:"gamma" range:"[-1,1e38]" of:"nodebnn" help:"weight of the extra entropy in the objective; 0 is the plain ELBO, -1 removes the entropy"`
	// Bound chooses the distance of two components in the entropy bound; "" means ReferenceBound.
	Bound Bound `json:"bound" of:"nodebnn" values:"reference exact" help:"bound on the entropy of the mixture: reference or exact; empty means reference"`
	// Scope is the posterior whose entropy is bounded; "" means "layer".
	Scope string `json:"scope" of:"nodebnn" values:"layer joint" help:"latents whose entropy is bounded: layer by layer, or joint; empty means layer"`
	// Divergence is the posterior's from the prior in the loss (METHOD.md 3.2), kl_type of the
	// published code, whose "mean" doesn't run there: "" is the mixture's, with the bound on its
	// entropy (upper_bound), "full" the sum, not the mean, of KL(q_k, p) over the components.
	Divergence string `json:"divergence,omitempty" of:"nodebnn" values:"full" help:"divergence from the prior: empty for the mixture's, or full for the sum over the components"`
	// ExtraEntropy is the entropy that Gamma multiplies (METHOD.md 3.2), entropy_type of the
	// published code: "" is the bound on the mixture's (BD), "conditional" the mean of the
	// components' entropies, "conditional_sum" their sum.
	ExtraEntropy string `json:"extra_entropy,omitempty" of:"nodebnn" values:"conditional conditional_sum" help:"entropy that gamma multiplies: empty for the mixture's, conditional for the mean of the components, or conditional_sum for their sum"`
}

// Bound names the coefficient of the distance between components in the lower bound on the entropy
// (METHOD.md 3.2).
type Bound string

// The bounds.
const (
	ReferenceBound Bound = "reference" // 1/16, as the published results most probably had it
	ExactBound     Bound = "exact"     // 1/4, the Bhattacharyya coefficient: tighter
)

// Scopes are posteriors whose entropy is bounded (METHOD.md 3.2).
const (
	layerScope = "layer" // of each layer; the bounds are summed, as in the published code
	jointScope = "joint" // of all latents of the network together, as in the paper
)

// Values of Objective.Divergence and Objective.ExtraEntropy.
const (
	componentDivergence  = "full"
	meanComponentEntropy = "conditional"
	sumComponentEntropy  = "conditional_sum"
)

// Training holds the epochs and rates of the parameters: theta, the weights, and phi, the
// posterior.
type Training struct {
	Epochs int `json:"epochs" range:"[1,4294967296]" help:"passes over the training images; if left out, the published number"`
	// Batch is the number of images in a step; 0 means the published number. An incomplete last
	// batch of an epoch is dropped.
	Batch int `json:"batch" range:"[1,16777216]" help:"images of a step; if left out, the published number"`
	// Samples is L, the number of draws of the latents for each image of a step; 0 means 4, or 1
	// without latents.
	Samples int `json:"samples" range:"[1,1048576]" of:"nodebnn" neutral:"1" help:"samples of the latents for each image of a step; if left out, 4"`

	LearningRate float64 `json:"learning_rate" range:"(0,1e38]" help:"first learning rate of the weights; if left out, the network's published one"`
	// PosteriorLearningRate is constant, for phi; 0 means the published rate.
	PosteriorLearningRate float64 `json:"posterior_learning_rate" range:"(0,1e38]" of:"nodebnn" help:"learning rate of the posterior; if left out, the published one"`
	// Momentum is the Nesterov momentum of theta; 0 means 0.9.
	Momentum float64 `json:"momentum" range:"(0,1)"`
	// NoMomentum chooses plain SGD for theta.
	NoMomentum bool `json:"no_momentum"`
	// WeightDecay acts on theta, the log prior of the weights; 0 means 0.0005.
	WeightDecay float64 `json:"weight_decay" range:"(0,1)"`
	// NoWeightDecay chooses a flat prior of the weights.
	NoWeightDecay bool `json:"no_weight_decay"`
	BetaEpochs    int  `json:"beta_epochs" range:"[1,4294967296]" of:"nodebnn" from:"epochs" help:"epochs until the posterior's terms count in full; if left out, two thirds of the epochs"`
	// NoAnnealing keeps beta at 1.
	NoAnnealing    bool `json:"no_annealing"`
	NoAugmentation bool `json:"no_augmentation" help:"show the training images without crops and mirroring"`
	// Augmentation changes the cropped and mirrored images further: "augmix" for AugMix; "" means
	// it doesn't.
	Augmentation string `json:"augmentation,omitempty" values:"augmix" help:"changes of the training images beyond crops and mirroring, which it turns on: augmix, or empty for none"`
}

// Defaults that the networks share (METHOD.md section 4).
const (
	defaultNetwork     = "allcnnc"
	defaultSamples     = 4
	defaultMomentum    = 0.9
	defaultWeightDecay = 5e-4
)

// WithDefaults returns the settings with every zero that means a default replaced by it.
func (s Settings) WithDefaults() Settings {
	s.Network = s.Network.withDefaults()
	published := definitionOf(s.Network.Name)
	s.Posterior = s.Posterior.withDefaults(published)
	s.Objective.Bound = cmp.Or(s.Objective.Bound, ReferenceBound)
	s.Objective.Scope = cmp.Or(s.Objective.Scope, layerScope)
	s.Training = s.Training.withDefaults(published, s.Posterior.Mode)
	return s
}

func (n Network) withDefaults() Network {
	n.Name = cmp.Or(n.Name, defaultNetwork)
	width := definitionOf(n.Name).Width
	n.Width = cmp.Or(n.Width, width)
	usual := Published
	if n.Name == defaultNetwork && n.Width != width {
		usual = Narrow
	}
	n.Form = cmp.Or(n.Form, usual)
	if n.Precision == "float32" {
		n.Precision = float32Precision
	}
	if n.Latents = strings.Join(patternsIn(n.Latents), ","); n.Latents != "" && n.choosesAll() {
		n.Latents = ""
	}
	return n.withFingerprint()
}

// choosesAll reports whether the patterns of Latents leave out no layer of a known network.
func (n Network) choosesAll() bool {
	chosen := n.Architecture(1).Layers()
	n.Latents = ""
	return len(chosen) > 0 && slices.Equal(chosen, n.Architecture(1).Layers())
}

func (p Posterior) withDefaults(published definition) Posterior {
	p.Components = cmp.Or(p.Components, 1)
	p.Mode = cmp.Or(p.Mode, Output)
	p.InitStd = cmp.Or(p.InitStd, published.InitStd)
	p.PriorStd = cmp.Or(p.PriorStd, p.InitStd)
	return p
}

func (t Training) withDefaults(published definition, mode Mode) Training {
	t.Epochs = cmp.Or(t.Epochs, published.Epochs)
	t.Batch = cmp.Or(t.Batch, published.Batch)
	samples := defaultSamples
	if mode == Deterministic {
		samples = 1
	}
	t.Samples = cmp.Or(t.Samples, samples)
	t.LearningRate = cmp.Or(t.LearningRate, published.LearningRate)
	t.PosteriorLearningRate = cmp.Or(t.PosteriorLearningRate, published.LearningRate)
	if !t.NoMomentum {
		t.Momentum = cmp.Or(t.Momentum, defaultMomentum)
	}
	if !t.NoWeightDecay {
		t.WeightDecay = cmp.Or(t.WeightDecay, defaultWeightDecay)
	}
	if !t.NoAnnealing {
		t.BetaEpochs = cmp.Or(t.BetaEpochs, max(1, 2*t.Epochs/3))
	}
	return t
}
