package corrupt

// unit is v/255 for each byte v.
var unit = func() (table [256]float64) {
	for v := range table {
		table[v] = float64(v) / 255
	}
	return table
}()

// unitSingle is unit in single precision.
var unitSingle = func() (table [256]float32) {
	for v := range table {
		table[v] = float32(unit[v])
	}
	return table
}()

// quantise turns a value in 0..1 into a byte as the reference does: clip, scale, truncate towards
// zero, never round.
func quantise[T float32 | float64](x T) uint8 {
	switch {
	case x >= 1:
		return 255
	case x > 0:
		return uint8(int32(x * 255))
	}
	return 0
}

// quantiseAll quantises each value.
func quantiseAll(out []uint8, values []float64) {
	for i, x := range values[:len(out)] {
		out[i] = quantise(x)
	}
}

// toUnit writes v/255 of each byte.
func toUnit(out []float64, image []uint8) {
	out = out[:len(image)]
	for i, v := range image {
		out[i] = unit[v]
	}
}
