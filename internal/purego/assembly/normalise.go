package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// normaliseForm follows the multiplication and addition of a normalisation.
type normaliseForm struct {
	name, words       string
	residual, rectify bool
}

var normaliseForms = []normaliseForm{
	{"normaliseRows", "", false, false},
	{"normaliseRectifyRows", ", then replaces negative results by zero", false, true},
	{"normaliseAddRows", " plus residual", true, false},
	{"normaliseAddRectifyRows", " plus residual, then replaces negative results by zero", true,
		true},
}

// normaliseRows writes input scale + shift, with a residual added or rectified.
func normaliseRows(f normaliseForm) {
	signature := "func(output, input, scale, shift *float32, vectors, rows int)"
	if f.residual {
		signature = "func(output, input, residual, scale, shift *float32, vectors, rows int)"
	}
	function(f.name, signature, "writes input times scale plus shift%s, for rows of the given "+
		"number of vectors of eight;\n"+
		"scale and shift are the same row for all.", f.words)
	output, input, vectors, rows, zero := load("output"), load("input"), load("vectors"),
		load("rows"), YMM()
	var residual reg.Register
	if f.residual {
		residual = load("residual")
	}
	VXORPS(zero, zero, zero)
	eachRow(rows, nil, func() {
		scale, shift := load("scale"), load("shift")
		fourThenOne("vector", vectors, func(unroll int) {
			transform(unroll, output, input, func(i int, value reg.VecVirtual) {
				normalised := YMM()
				VMOVUPS(vectorAt(scale, i), normalised)
				VFMADD213PS(vectorAt(shift, i), value, normalised)
				if f.residual {
					VADDPS(vectorAt(residual, i), normalised, normalised)
				}
				if f.rectify {
					VMAXPS(normalised, zero, normalised)
				}
				VMOVAPS(normalised, value)
			})
			advance(unroll, output, input, scale, shift)
			if f.residual {
				advance(unroll, residual)
			}
		})
	})
	finish()
}

// momentRows sums the distances from a row and their squares.
func momentRows(vectors int) {
	function(fmt.Sprintf("momentRows%d", vectors), "func(sums, squares, input, origin *float32, "+
		"stride uintptr, rows int)",
		"adds input minus origin over rows of %d times eight numbers, stride bytes apart, to\n"+
			"sums, and the squares of the same to squares; origin is the same row for all.",
		vectors)
	sums, squares, input, origin := load("sums"), load("squares"), load("input"), load("origin")
	stride, rows := load("stride"), load("rows")
	first, second := avx2.newVectors(vectors), avx2.newVectors(vectors)
	loadSums(sums, first)
	loadSums(squares, second)
	eachRow(rows, stride, func() {
		for j := range vectors {
			value := YMM()
			VMOVUPS(vectorAt(input, j), value)
			VSUBPS(vectorAt(origin, j), value, value)
			VADDPS(value, first[j], first[j])
			VFMADD231PS(value, value, second[j])
		}
	}, input)
	storeSums(sums, first)
	storeSums(squares, second)
	finish()
}

// mask selects the gradients of a layer's output that reach the normalisation.
type mask struct{ name, words string }

var (
	all      = mask{"", "gradient"}
	positive = mask{"Rectified", "gradient where input times the second row of coefficients " +
		"plus the third is positive"}
	activated = mask{"Activated", "gradient where activation is positive, which it writes to " +
		"masked"}
	masks = []mask{all, positive, activated}
)

// coefficientRows returns pointers to count rows of coefficients, stride bytes apart.
func coefficientRows(count int, stride reg.Register) []reg.Register {
	rows := []reg.Register{load("coefficients")}
	for len(rows) < count {
		next := GP64()
		MOVQ(rows[len(rows)-1], next)
		ADDQ(stride, next)
		rows = append(rows, next)
	}
	return rows
}

// keepPositive replaces value by zero where input scale + shift isn't positive.
func keepPositive(value, input reg.VecVirtual, scale, shift Mem, zero reg.VecVirtual) {
	normalised := YMM()
	VMOVUPS(scale, normalised)
	VFMADD213PS(shift, input, normalised)
	keepWhere(value, normalised, zero)
}

// keepWhere replaces value by zero where the sign isn't positive.
func keepWhere(value, sign, zero reg.VecVirtual) {
	VCMPPS(less, sign, zero, sign)
	VANDPS(sign, value, value)
}

// less is a predicate of VCMPPS: false for a NaN.
const less = U8(17)

// gradientSumRows sums the gradient of a normalisation's output, and its product with the input.
func gradientSumRows(m mask, vectors int) {
	signature := "func(gradientSums, productSums, gradient, input, coefficients *float32, stride " +
		"uintptr, rows int)"
	if m == activated {
		signature = "func(gradientSums, productSums, masked, gradient, activation, input " +
			"*float32, stride uintptr, rows int)"
	}
	function(fmt.Sprintf("gradientSumRows%s%d", m.name, vectors), signature,
		"adds the %s\nto gradientSums, and times input to productSums, over rows of %d times "+
			"eight numbers, stride bytes apart.",
		m.words, vectors)
	gradientSums, productSums, gradient, input := load("gradientSums"), load("productSums"),
		load("gradient"), load("input")
	stride, rows, zero := load("stride"), load("rows"), YMM()
	pointers := []reg.Register{gradient, input}
	VXORPS(zero, zero, zero)
	var coefficients []reg.Register
	var masked, activation reg.Register
	switch m {
	case positive:
		coefficients = coefficientRows(3, stride)
	case activated:
		masked, activation = load("masked"), load("activation")
		pointers = append(pointers, masked, activation)
	}
	first, second := avx2.newVectors(vectors), avx2.newVectors(vectors)
	loadSums(gradientSums, first)
	loadSums(productSums, second)
	eachRow(rows, stride, func() {
		for j := range vectors {
			value, image := YMM(), YMM()
			VMOVUPS(vectorAt(gradient, j), value)
			VMOVUPS(vectorAt(input, j), image)
			switch m {
			case positive:
				keepPositive(value, image, vectorAt(coefficients[1], j),
					vectorAt(coefficients[2], j), zero)
			case activated:
				sign := YMM()
				VMOVUPS(vectorAt(activation, j), sign)
				keepWhere(value, sign, zero)
				VMOVUPS(value, vectorAt(masked, j))
			}
			VADDPS(value, first[j], first[j])
			VFMADD231PS(value, image, second[j])
		}
	}, pointers...)
	storeSums(gradientSums, first)
	storeSums(productSums, second)
	finish()
}

// normaliseGradientRows writes the gradient of a normalisation's input.
func normaliseGradientRows(m mask, vectors int) {
	if m == activated {
		return // its gradient is masked by then
	}
	function(fmt.Sprintf("normaliseGradientRows%s%d", m.name, vectors),
		"func(output, scaleSums, gradient, input, coefficients *float32, stride uintptr, rows int)",
		"forms x, the %s,\ntimes the fourth row of coefficients, plus input times the fifth, "+
			"plus the sixth. It writes x times the first to\n"+
			"output and adds x times input to scaleSums, over rows of %d times eight numbers, "+
			"stride bytes apart.", m.words, vectors)
	output, scaleSums, gradient, input := load("output"), load("scaleSums"), load("gradient"),
		load("input")
	stride, rows, zero := load("stride"), load("rows"), YMM()
	coefficients := coefficientRows(6, stride)
	VXORPS(zero, zero, zero)
	sums := avx2.newVectors(vectors)
	loadSums(scaleSums, sums)
	eachRow(rows, stride, func() {
		for j := range vectors {
			value, image := YMM(), YMM()
			VMOVUPS(vectorAt(gradient, j), value)
			VMOVUPS(vectorAt(input, j), image)
			if m == positive {
				keepPositive(value, image, vectorAt(coefficients[1], j),
					vectorAt(coefficients[2], j), zero)
			}
			result := YMM()
			VMOVUPS(vectorAt(coefficients[4], j), result)
			VFMADD213PS(vectorAt(coefficients[5], j), image, result)
			VFMADD231PS(vectorAt(coefficients[3], j), value, result)
			VFMADD231PS(result, image, sums[j])
			VMULPS(vectorAt(coefficients[0], j), result, result)
			VMOVUPS(result, vectorAt(output, j))
		}
	}, output, gradient, input)
	storeSums(scaleSums, sums)
	finish()
}
