package nbbnn

// Config says everything that a run depends on: the same configuration gives the same weights. Its zero value trains the
// published All-CNN-C on Shapes10. Durations, directories and the engine are no part of it.
type Config struct {
	Network   Network   `json:"network"`
	Data      Data      `json:"data"`
	Posterior Posterior `json:"posterior"`
	Objective Objective `json:"objective"`
	Training  Training  `json:"training"`
	Seed      uint64    `json:"seed"` // of every stream of random numbers; 0 is a seed like any other
}

// Network is the architecture.
type Network struct {
	Name      string    `json:"name"`                 // one of Networks; "" means "allcnnc"
	Width     int       `json:"width"`                // channels of the first layers; 0 means the published 96 of allcnnc, 64 of the others
	Form      Form      `json:"form"`                 // "" means Narrow for allcnnc at another than the published width, else Published
	Precision Precision `json:"precision,omitempty"`  // of convolutions and activations; "" means Float32
	NoDropout bool      `json:"no_dropout,omitempty"` // vgg16 without latents has no dropout of 0.5 before its first two dense layers
}

// Form is a variant of an architecture: how it's initialised, and what follows the last layer.
type Form string

// The forms. METHOD.md 4.2 tells why a narrow All-CNN-C needs its own; the other networks are Published at any width.
const (
	Published Form = "published" // as in the paper: uniform weights and biases, ReLU on the logits
	Narrow    Form = "narrow"    // He-normal weights, zero biases, no ReLU on the logits
)

// Data is the data set and how much of it is used.
type Data struct {
	Name  string `json:"name"`  // one of dataset.Names; "" means "shapes10"
	Train int    `json:"train"` // training images, the first so many; 0 means all
	Test  int    `json:"test"`  // test images, the first so many; 0 means all
	Seed  uint64 `json:"seed"`  // of the drawing of shapes10; unused by other data sets

	Validation int       `json:"validation,omitempty"`  // training images held out to choose gamma, each class in proportion; 0 means none
	LabelNoise float64   `json:"label_noise,omitempty"` // share of the training labels drawn again, 0 to 1; 0 means none
	NoiseForm  NoiseForm `json:"noise_form,omitempty"`  // of the labels that are drawn; "" means WrongLabels
}

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

// Objective is the training objective, the gamma-ELBO (METHOD.md section 3).
type Objective struct {
	Gamma float64 `json:"gamma"` // weight of the additional entropy; 0 is the plain ELBO, -1 removes the entropy
	Bound Bound   `json:"bound"` // distance of two components in the entropy bound; "" means ReferenceBound
	Scope Scope   `json:"scope"` // what the entropy is bounded of; "" means LayerScope

	Divergence   Divergence   `json:"divergence,omitempty"`    // what stands for KL(q, p); "" means MixtureDivergence
	ExtraEntropy ExtraEntropy `json:"extra_entropy,omitempty"` // what Gamma multiplies; "" means MixtureEntropy
}

// Bound names the coefficient of the distance between components in the lower bound on the entropy (METHOD.md 3.2).
type Bound string

// The bounds.
const (
	ReferenceBound Bound = "reference" // 1/16, as the published results most probably had it
	ExactBound     Bound = "exact"     // 1/4, the Bhattacharyya coefficient: tighter
)

// Scope says what the entropy is bounded of (METHOD.md 3.2).
type Scope string

// The scopes.
const (
	LayerScope Scope = "layer" // each layer by itself, summed, as in the reference code
	JointScope Scope = "joint" // all latents of the network together, as in the paper
)

// Training is how long and how fast the parameters are trained: theta, the weights, and phi, the posterior.
type Training struct {
	Epochs  int `json:"epochs"`  // 0 means the network's published number
	Batch   int `json:"batch"`   // images a step; 0 means the published number; what is left of an epoch's images is dropped
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
