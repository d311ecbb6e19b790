package baseline

// Method selects how weights are trained and which weights predict. The zero value is the node-BNN
// of the paper, or MAP if the network has no latents. The tag "of" of an option names the methods
// that have it: zero means the default, and an option of another method is refused. Package
// internal/fields reads all tags.
type Method struct {
	// "" means NodeBNN
	Name Name `json:"name" help:"method of training; empty means nodebnn, or map without latents"`
	// Fingerprint identifies a method added with Define; "" means this program's.
	Fingerprint string `json:"fingerprint,omitempty"`

	// Rho is the length of the move of SAM and ASAM; 0 means the published one: for SAM 0.05, for
	// ASAM 0.5, and twice as long on CIFAR-100 and TinyImageNet.
	Rho float64 `json:"rho,omitempty" range:"(0,1e38]" of:"sam asam" help:"length of the move before the gradient is taken; if left out, the published one"`
	// BothPasses lets both passes of SAM and ASAM update the running statistics of batch
	// normalisation; the default is only the first pass.
	BothPasses bool `json:"both_passes,omitempty" of:"sam asam" help:"let both passes of a step update the running statistics of batch normalisation"`

	Start int `json:"start,omitempty" range:"[1,4294967296]" flag:"swag-start" of:"swag" from:"epochs" help:"epochs before the weights of each epoch are collected; if left out, 161 of 300, or the same share"`
	// Rate is SWAG's constant learning rate from nine tenths of Start on; 0 means the published
	// share of the first one: a fifth for networks without batch normalisation, half for CIFAR-100
	// and TinyImageNet, a tenth otherwise.
	Rate     float64 `json:"rate,omitempty" range:"(0,1e38]" flag:"swag-rate" of:"swag" from:"learning-rate" help:"constant learning rate while weights are collected; if left out, the published share of the first rate"`
	Rank     int     `json:"rank,omitempty" range:"[2,16777216]" flag:"swag-rank" of:"swag" help:"epochs whose deviations make up half of the covariance; if left out, 20"`
	Diagonal bool    `json:"diagonal,omitempty" flag:"swag-diagonal" of:"swag" help:"leave out the half of the covariance that is not diagonal"`

	Cycles      int     `json:"cycles,omitempty" range:"[1,4294967296]" of:"csghmc" from:"epochs" help:"cycles of the learning rate, a divisor of the epochs; if left out, cycles of about 50 epochs, two at least"`
	Snapshots   int     `json:"snapshots,omitempty" range:"[1,4294967296]" of:"csghmc" from:"epochs cycles" help:"last epochs of a cycle whose weights are samples; if left out, 5, or half a cycle"`
	NoiseEpochs int     `json:"noise_epochs,omitempty" range:"[1,4294967296]" of:"csghmc" from:"epochs cycles" help:"last epochs of a cycle with noise; if left out, a tenth of the cycle, and the snapshots at least"`
	Temperature float64 `json:"temperature,omitempty" range:"(0,1e38]" of:"csghmc" help:"factor of the variance of the noise, 1 samples the posterior; if left out, 1/50,000, as published"`

	// Dropout is the probability with which MCDropout drops an input; 0 means 0.5 for networks
	// whose layers have dropout (VGG16) and 0.1 for others, where all layers but the first get it.
	Dropout float64 `json:"dropout,omitempty" range:"(0,1)" of:"mcdropout" help:"probability of dropping an input; if left out, 0.5 for vgg16, 0.1 for networks without dropout"`

	// Std is the standard deviation of the factors of DAMP; 0 means 0.2, or 0.1 on CIFAR-100 and
	// TinyImageNet.
	Std        float64 `json:"std,omitempty" range:"(0,1e38]" flag:"damp-std" of:"damp" help:"standard deviation of the factors of the weights; if left out, the published one"`
	SubBatches int     `json:"sub_batches,omitempty" range:"[1,16777216]" flag:"damp-sub-batches" of:"damp" help:"parts of a batch with factors of their own; if left out, 8, or the largest divisor of the batch below. 1, published for CIFAR, takes about as long as map; each further part adds to that (docs/numbers.md)"`
}

// Name names a method.
type Name string

// The methods.
const (
	NodeBNN Name = "nodebnn" // the method of the paper: a posterior over the latents of the nodes
	MAP     Name = "map"     // SGD with Nesterov momentum: one network, the maximum a posteriori

	// Sharpness-aware minimisation: the gradient of each step is taken at weights that were moved
	// uphill first, on the same images, so that the training looks for flat minima. A step costs
	// two.
	SAM  Name = "sam"  // Foret et al., ICLR 2021
	ASAM Name = "asam" // adaptive SAM: the move is relative to each weight (Kwon et al., ICML 2021)

	// SWAG is SWA-Gaussian (Maddox et al., NeurIPS 2019): a Gaussian over the weights, with the
	// mean and covariance of the weights after each epoch of the last part of a training with a
	// constant learning rate. The covariance is half diagonal, half of low rank.
	SWAG Name = "swag"

	// CSGHMC is cyclical stochastic gradient Hamiltonian Monte Carlo (Zhang et al., ICLR 2020): the
	// learning rate starts again in every cycle, noise is added at the end of each, and the weights
	// after the last epochs of the cycles are the samples.
	CSGHMC Name = "csghmc"

	// MCDropout is Monte-Carlo dropout (Gal and Ghahramani, ICML 2016): inputs of layers are
	// dropped in training and in predictions, with a new mask for each image and sample, and the
	// training is MAP's.
	MCDropout Name = "mcdropout"

	// DAMP is data augmentation via multiplicative perturbation (Trinh et al., NeurIPS 2024): each
	// sub-batch of a step is seen through weights that are multiplied by draws of N(1, s^2), which
	// imitates a corruption of its images. The weights themselves predict.
	DAMP Name = "damp"
)
