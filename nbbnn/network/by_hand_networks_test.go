package network

import (
	"math"
	"slices"
)

// batch is what one layer makes of all rows.
type batch []picture

// logits is the forward pass of a network.
func (h handRun) logits(name string, x batch) [][]float64 {
	switch name {
	case "allcnnc":
		x = h.allCNNC(x)
	case "vgg16":
		x = h.vgg16(x)
	case "resnet18":
		x = h.residual(h.normalised(h.noisy(x, "stem/conv", 3, 1, 1),
			"stem/norm").each(picture.rectified), h.resNetBlock)
	case imageNetResNet18:
		x = h.normalised(h.noisy(x, "stem/conv", 7, 2, 3), "stem/norm").each(picture.rectified)
		x = h.residual(x.each(picture.pooled), h.resNetBlock)
	case "preactresnet18":
		x = h.residual(h.noisy(x, "stem/conv", 3, 1, 1), h.preActBlock)
	}
	rows := make([][]float64, len(x))
	for i := range x {
		rows[i] = x[i].values
	}
	return rows
}

func (h handRun) allCNNC(x batch) batch {
	if h.form == Published {
		x = x.each(func(p picture) picture {
			return p.scaled([]float64{0.2470 / 0.2023, 0.2435 / 0.1994, 0.2616 / 0.2010})
		})
	}
	for i, l := range handLayers {
		x = h.noisy(x, numbered("conv", i), l[0], l[1], l[2])
		if i < len(handLayers)-1 || h.form == Published {
			x = x.each(picture.rectified)
		}
	}
	return x.each(picture.averaged)
}

func (h handRun) vgg16(x batch) batch {
	conv := 0
	for _, convolutions := range []int{2, 2, 3, 3, 3} {
		for range convolutions {
			x = h.noisy(x, numbered("conv", conv), 3, 1, 1).each(picture.rectified)
			conv++
		}
		x = x.each(picture.halved)
	}
	x = h.noisy(x, "dense1", 1, 1, 0).each(picture.rectified)
	x = h.noisy(x, "dense2", 1, 1, 0).each(picture.rectified)
	return h.noisy(x, "dense3", 1, 1, 0)
}

// residual is what the residual networks share after their stems.
func (h handRun) residual(x batch, block func(x batch, name string, stride int) batch) batch {
	for _, stage := range []string{"stage1", "stage2", "stage3", "stage4"} {
		stride := 2
		if stage == "stage1" {
			stride = 1
		}
		x = block(x, stage+"/block1/", stride)
		x = block(x, stage+"/block2/", 1)
	}
	return h.noisy(x.each(picture.averaged), "dense", 1, 1, 0)
}

func (h handRun) resNetBlock(x batch, name string, stride int) batch {
	y := h.normalised(h.noisy(x, name+"conv1", 3, stride, 1), name+"norm1").each(picture.rectified)
	y = h.normalised(h.noisy(y, name+"conv2", 3, 1, 1), name+"norm2")
	if stride == 2 {
		x = h.normalised(h.noisy(x, name+"shortcut", 1, 2, 0), name+"shortcut_norm")
	}
	return y.plus(x).each(picture.rectified)
}

func (h handRun) preActBlock(x batch, name string, stride int) batch {
	a := h.normalised(x, name+"norm1").each(picture.rectified)
	y := h.noisy(a, name+"conv1", 3, stride, 1)
	y = h.noisy(h.normalised(y, name+"norm2").each(picture.rectified), name+"conv2", 3, 1, 1)
	if stride == 2 {
		x = h.noisy(a, name+"shortcut", 1, 2, 0)
	}
	return y.plus(x)
}

// noisy is one stochastic layer.
func (h handRun) noisy(x batch, name string, kernel, stride, padding int) batch {
	weights := h.values["/theta/"+name+"/weights"]
	bias := h.values["/theta/"+name+"/bias"]
	if bias == nil {
		bias = make([]float64, len(weights)/(kernel*kernel*x[0].channels))
	}
	y := make(batch, len(x))
	for row := range x {
		var z, s []float64
		if h.noise != nil {
			z, s = h.latents(name, x[row].channels, h.noise[name][row], row)
		}
		y[row] = x[row].scaled(z).convolved(weights, bias, kernel, stride, padding).scaled(s)
	}
	return y
}

// normalised is one batch normalisation.
func (h handRun) normalised(x batch, name string) batch {
	mean, variance := h.values["/running/"+name+"/mean"], h.values["/running/"+name+"/variance"]
	if h.training {
		mean, variance = x.statistics()
	}
	scale, shift := h.values["/theta/"+name+"/scale"], h.values["/theta/"+name+"/shift"]
	return x.each(func(p picture) picture {
		p.values = slices.Clone(p.values)
		for i := range p.values {
			c := i % p.channels
			p.values[i] = (p.values[i]-mean[c])/math.Sqrt(variance[c]+1e-5)*scale[c] + shift[c]
		}
		return p
	})
}

// statistics are the mean and the biased variance of each channel.
func (x batch) statistics() (mean, variance []float64) {
	mean, variance = make([]float64, x[0].channels), make([]float64, x[0].channels)
	count := float64(len(x) * x[0].side * x[0].side)
	for _, p := range x {
		for i, v := range p.values {
			mean[i%p.channels] += v / count
		}
	}
	for _, p := range x {
		for i, v := range p.values {
			variance[i%p.channels] += (v - mean[i%p.channels]) * (v - mean[i%p.channels]) / count
		}
	}
	return mean, variance
}

func (x batch) each(change func(picture) picture) batch {
	y := make(batch, len(x))
	for i := range x {
		y[i] = change(x[i])
	}
	return y
}

func (x batch) plus(y batch) batch {
	sum := make(batch, len(x))
	for i := range x {
		sum[i] = picture{x[i].side, x[i].channels, slices.Clone(x[i].values)}
		for j, v := range y[i].values {
			sum[i].values[j] += v
		}
	}
	return sum
}

// pooled is the largest of every three by three pixels around every second one; zeros surround the
// picture.
func (x picture) pooled() picture {
	y := picture{side: (x.side + 1) / 2, channels: x.channels}
	for row := range y.side {
		for column := range y.side {
			for c := range x.channels {
				most := 0.0
				for tap := range 9 {
					most = max(most, x.at(2*row+tap/3-1, 2*column+tap%3-1, c))
				}
				y.values = append(y.values, most)
			}
		}
	}
	return y
}

// halved is the largest of every two by two pixels.
func (x picture) halved() picture {
	y := picture{side: x.side / 2, channels: x.channels}
	for row := range y.side {
		for column := range y.side {
			for c := range x.channels {
				top := max(x.at(2*row, 2*column, c), x.at(2*row, 2*column+1, c))
				y.values = append(y.values, max(top, x.at(2*row+1, 2*column, c),
					x.at(2*row+1, 2*column+1, c)))
			}
		}
	}
	return y
}

// repeated are the copies of each picture for its samples, side by side.
func repeated(x []picture, samples int) (y batch) {
	for _, p := range x {
		for range samples {
			y = append(y, p)
		}
	}
	return y
}
