package kernel

import "math"

// Latents are the sizes of the latents of some layers. The parameters of their posterior, mean and
// rho, are [Components, sum of Widths], the layers next to each other; epsilon and the latents of a
// layer are [rows, its width], and row i takes component i mod Components.
type Latents struct {
	Components int
	Widths     []int // of the layers
}

// Sample writes the latents of each layer, mean + log(1 + exp(rho)) epsilon. A layer is on one
// core: it takes microseconds.
func (l Latents) Sample(latents [][]float32, mean, rho []float32, epsilon [][]float32) {
	l.each(func(store *scratch, layer int, part columnRange) {
		means, sigma := store.borrow(part.size()), store.borrow(part.size())
		part.take(means, mean)
		part.take(sigma, rho)
		for i, value := range sigma {
			sigma[i] = softplus(value)
		}
		Multiply.eachRow(latents[layer], epsilon[layer], sigma)
		Add.eachRow(latents[layer], latents[layer], means)
		store.giveBack(means, sigma)
	})
}

// SampleGradient writes the gradients of mean and rho from the latents' gradients.
func (l Latents) SampleGradient(mean, rhoGradient, rho []float32, gradient, epsilon [][]float32) {
	l.each(func(store *scratch, layer int, part columnRange) {
		sums, rhos := store.borrow(part.size()), store.borrow(part.size())
		products := store.borrow(len(gradient[layer]))
		sumOfRounds(sums, gradient[layer])
		part.put(mean, sums)
		Multiply.eachRow(products, gradient[layer], epsilon[layer])
		sumOfRounds(sums, products)
		part.take(rhos, rho)
		for i, value := range rhos {
			sums[i] *= float32(1 / (1 + math.Exp(-float64(value))))
		}
		part.put(rhoGradient, sums)
		store.giveBack(sums, rhos, products)
	})
}

// each calls do for each layer, on all cores, with the working memory of its worker.
func (l Latents) each(do func(store *scratch, layer int, part columnRange)) {
	all, total := make([]columnRange, len(l.Widths)), 0
	for layer, width := range l.Widths {
		all[layer] = columnRange{rows: l.Components, first: total, width: width}
		total += width
	}
	Parallel(Workers(), len(all), func(worker, layer int) {
		all[layer].stride = total
		do(memoryOf(worker), layer, all[layer])
	})
}

// columnRange is some columns of an array [rows, stride], next to each other.
type columnRange struct{ rows, stride, first, width int }

func (c columnRange) size() int { return c.rows * c.width }

// take copies the columns of an array into own, [rows, width].
func (c columnRange) take(own, array []float32) {
	for row := range c.rows {
		copy(own[row*c.width:][:c.width], array[row*c.stride+c.first:])
	}
}

// put reverses take.
func (c columnRange) put(array, own []float32) {
	for row := range c.rows {
		copy(array[row*c.stride+c.first:], own[row*c.width:][:c.width])
	}
}

// Columns writes the columns of each layer, [Components, its width], of input, [Components, sum of
// Widths].
func (l Latents) Columns(outputs [][]float32, input []float32) {
	l.each(func(_ *scratch, layer int, part columnRange) { part.take(outputs[layer], input) })
}

// sumOfRounds writes the sum of the rows of input, the last of which may be shorter.
func sumOfRounds(sums, input []float32) {
	rows := len(input) / len(sums)
	sumOfRows(sums, input, rows)
	last := input[rows*len(sums):]
	addTo(sums[:len(last)], last)
}

// softplus is log(1 + exp(x)), safe for x of any size.
func softplus(x float32) float32 {
	return float32(max(float64(x), 0) + math.Log1p(math.Exp(-math.Abs(float64(x)))))
}
