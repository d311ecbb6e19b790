package corrupt

// tap is one summand of a filter: a weight and where, in a padded image, the row starts that it
// multiplies.
type tap struct {
	weight float64
	offset int
}

// sumTaps writes the weighted sum of rows shifted against each other. The taps are added in their
// order, four a pass.
func sumTaps(out, padded []float64, taps []tap) {
	clear(out)
	for ; len(taps) >= 4; taps = taps[4:] {
		addFourTaps(out, padded, taps[0], taps[1], taps[2], taps[3])
	}
	for _, tap := range taps {
		for i, v := range padded[tap.offset:][:len(out)] {
			out[i] += float64(tap.weight * v)
		}
	}
}

func addFourTaps(out, padded []float64, p, q, r, s tap) {
	a, b := padded[p.offset:][:len(out)], padded[q.offset:][:len(out)]
	c, d := padded[r.offset:][:len(out)], padded[s.offset:][:len(out)]
	for i, sum := range out {
		sum += float64(p.weight * a[i])
		sum += float64(q.weight * b[i])
		sum += float64(r.weight * c[i])
		sum += float64(s.weight * d[i])
		out[i] = sum
	}
}
