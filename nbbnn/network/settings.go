package network

import (
	"cmp"
)

// Settings say everything that the weights of a network depend on, but for its images: equal settings and images give
// equal weights. The zero value trains the published All-CNN-C.
type Settings struct {
	Network   Network
	Posterior Posterior
	Objective Objective
	Training  Training
	Seed      uint64 // of every stream of random numbers; 0 is a seed like any other
}

// Network is the architecture.
type Network struct {
	Name      string    `json:"name"`                 // one of Names, or of those added with Define; "" means "allcnnc"
	Width     int       `json:"width"`                // channels of the first layers; 0 means the published 96 of allcnnc, 64 of the others
	Form      Form      `json:"form"`                 // "" means Narrow for allcnnc of any but the published width, else Published
	Precision Precision `json:"precision,omitempty"`  // of convolutions and activations; "" means float32
	NoDropout bool      `json:"no_dropout,omitempty"` // removes the dropout of 0.5 before the first two dense layers of a vgg16 without latents

	Fingerprint string `json:"fingerprint,omitempty"` // of the layers of a network of Define; "" means those of this program
}

// Form is a variant of an architecture: how it's initialised, and what follows the last layer.
type Form string

// The forms. METHOD.md 4.2 says why a narrow All-CNN-C needs its own; the other networks are Published at any width.
const (
	Published Form = "published" // as in the paper: uniform weights and biases, ReLU on the logits
	Narrow    Form = "narrow"    // He-normal weights, zero biases, no ReLU on the logits
)

// Precision is the type in which a network computes its convolutions and keeps the values between its layers. Weights and
// their updates, the posterior and its samples, bias, batch normalisation, dense layers, KL and loss are always float32.
type Precision string

// The precisions.
const (
	float32Precision Precision = ""
	BFloat16         Precision = "bfloat16" // 8 bits of precision; for GPUs with tensor cores
)

// Posterior is the mixture of Gaussians over the latents of every layer, and its prior N(1, PriorStd^2).
type Posterior struct {
	Components int     `json:"components"` // K, components of the mixture, at most 256; 0 means 1
	Mode       Mode    `json:"mode"`       // which side of a layer is noisy; "" means Output
	InitStd    float64 `json:"init_std"`   // centre of the initial standard deviations; 0 means the network's published value, 0.32 for All-CNN-C
	PriorStd   float64 `json:"prior_std"`  // standard deviation of the prior; 0 means InitStd
}

// Mode says which side of a layer its latents multiply.
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
	Gamma float64 `json:"gamma"` // weight of the additional entropy; 0 is the plain ELBO, -1 removes the entropy
	Bound Bound   `json:"bound"` // distance of two components in the entropy bound; "" means ReferenceBound
	Scope Scope   `json:"scope"` // which posterior's entropy is bounded; "" means LayerScope

	Divergence   Divergence   `json:"divergence,omitempty"`    // replaces KL(q, p) in the loss; "" means that of the mixture
	ExtraEntropy ExtraEntropy `json:"extra_entropy,omitempty"` // the entropy that Gamma multiplies; "" means that of the mixture
}

// Bound names the coefficient of the distance between components in the lower bound on the entropy (METHOD.md 3.2).
type Bound string

// The bounds.
const (
	ReferenceBound Bound = "reference" // 1/16, as the published results most probably had it
	ExactBound     Bound = "exact"     // 1/4, the Bhattacharyya coefficient: tighter
)

// Scope says which posterior's entropy is bounded (METHOD.md 3.2).
type Scope string

// The scopes.
const (
	LayerScope Scope = "layer" // that of each layer, and the bounds are summed, as in the reference code
	JointScope Scope = "joint" // that of all latents of the network together, as in the paper
)

// Divergence names the divergence of the posterior from the prior in the loss (METHOD.md 3.2): kl_type of the published
// code, whose "mean" doesn't run there. "" is that of the mixture, with the bound on its entropy: upper_bound.
type Divergence string

// ComponentDivergence is the sum, not the mean, of KL(q_k, p) over the components.
const ComponentDivergence Divergence = "full"

// ExtraEntropy names the entropy of the posterior that gamma multiplies (METHOD.md 3.2): entropy_type of the published code.
// "" is the bound on that of the mixture: BD.
type ExtraEntropy string

// The other entropies.
const (
	MeanComponentEntropy ExtraEntropy = "conditional"     // the mean over the components of their entropies
	SumComponentEntropy  ExtraEntropy = "conditional_sum" // the sum of them
)

// Training says how long and how fast the parameters are trained: theta, the weights, and phi, the posterior.
type Training struct {
	Epochs  int `json:"epochs"`  // 0 means the network's published number
	Batch   int `json:"batch"`   // images of a step; 0 means the published number; an incomplete last batch of an epoch is dropped
	Samples int `json:"samples"` // L, draws of the latents for each image of a step; 0 means 4, and 1 without latents

	LearningRate          float64 `json:"learning_rate"`           // of theta at the start (LearningRateFactor lowers it); 0 means the published rate
	PosteriorLearningRate float64 `json:"posterior_learning_rate"` // of phi, constant; 0 means the published rate
	Momentum              float64 `json:"momentum"`                // Nesterov momentum of theta; 0 means 0.9
	NoMomentum            bool    `json:"no_momentum"`             // plain SGD on theta
	WeightDecay           float64 `json:"weight_decay"`            // of theta, the log prior of the weights; 0 means 0.0005
	NoWeightDecay         bool    `json:"no_weight_decay"`         // a flat prior of the weights
	BetaEpochs            int     `json:"beta_epochs"`             // epochs in which beta rises from 0 to 1; 0 means two thirds of Epochs
	NoAnnealing           bool    `json:"no_annealing"`            // beta is 1 throughout
	NoAugmentation        bool    `json:"no_augmentation"`         // no random crops and mirrored images
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
	published := publicationOf(s.Network.Name)
	s.Posterior = s.Posterior.withDefaults(published)
	s.Objective.Bound = cmp.Or(s.Objective.Bound, ReferenceBound)
	s.Objective.Scope = cmp.Or(s.Objective.Scope, LayerScope)
	s.Training = s.Training.withDefaults(published, s.Posterior.Mode)
	return s
}

func (n Network) withDefaults() Network {
	n.Name = cmp.Or(n.Name, defaultNetwork)
	width := publicationOf(n.Name).width
	n.Width = cmp.Or(n.Width, width)
	usual := Published
	if n.Name == defaultNetwork && n.Width != width {
		usual = Narrow
	}
	n.Form = cmp.Or(n.Form, usual)
	if n.Precision == "float32" {
		n.Precision = float32Precision
	}
	return n.withFingerprint()
}

func (p Posterior) withDefaults(published publication) Posterior {
	p.Components = cmp.Or(p.Components, 1)
	p.Mode = cmp.Or(p.Mode, Output)
	p.InitStd = cmp.Or(p.InitStd, published.initStd)
	p.PriorStd = cmp.Or(p.PriorStd, p.InitStd)
	return p
}

func (t Training) withDefaults(published publication, mode Mode) Training {
	t.Epochs = cmp.Or(t.Epochs, published.epochs)
	t.Batch = cmp.Or(t.Batch, published.batch)
	samples := defaultSamples
	if mode == Deterministic {
		samples = 1
	}
	t.Samples = cmp.Or(t.Samples, samples)
	t.LearningRate = cmp.Or(t.LearningRate, published.rate)
	t.PosteriorLearningRate = cmp.Or(t.PosteriorLearningRate, published.rate)
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
