package main

import "github.com/mmcloughlin/avo/reg"

// The functions of this file are the transforms of one row: they may change in, and return what
// they make of it. The points come in pairs of opposite sign, whose results are the sum and the
// difference of the same even and odd part.

func applyInput(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	a, b, aa, bb, sum, product := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5]
	zero, infinity := in[0], in[5] // product in[0] - sum in[2] + in[4], and the same one further
	VMULPS(product, zero, zero)
	VFNMADD231PS(sum, in[2], zero)
	VADDPS(in[4], zero, zero)
	VFMADD231PS(product, in[1], infinity)
	VFNMADD231PS(sum, in[3], infinity)
	evenA, oddA, evenB, oddB := duplicate(in[4], s), duplicate(in[3], s), in[4], in[3]
	VFNMADD231PS(bb, in[2], evenA)
	VFNMADD231PS(bb, in[1], oddA)
	VFNMADD231PS(aa, in[2], evenB)
	VFNMADD231PS(aa, in[1], oddB)
	plusA, minusA := sumAndDifference(evenA, oddA, a, s)
	plusB, minusB := sumAndDifference(evenB, oddB, b, s)
	return []reg.VecVirtual{zero, plusA, minusA, plusB, minusB, infinity}
}

func applyOutput(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5]
	evenA, oddA := evenAndOdd(in[1], in[2], s)
	evenB, oddB := evenAndOdd(in[3], in[4], s)
	first, last := in[0], in[5]
	VADDPS(evenA, first, first)
	VADDPS(evenB, first, first)
	VFMADD231PS(aaa, oddA, last)
	VFMADD231PS(bbb, oddB, last)
	VMULPS(a, oddA, oddA)
	VFMADD231PS(b, oddB, oddA)
	VMULPS(aa, evenA, evenA)
	VFMADD231PS(bb, evenB, evenA)
	return []reg.VecVirtual{first, oddA, evenA, last}
}

func applyGradient(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	a, b, aa, bb, aaa, bbb := constants[0], constants[1], constants[2], constants[3], constants[4], constants[5]
	evenA, evenB := duplicate(in[0], s), duplicate(in[0], s)
	VFMADD231PS(aa, in[2], evenA)
	VFMADD231PS(bb, in[2], evenB)
	oddA, oddB := s.newVector(), in[1]
	VMULPS(a, in[1], oddA)
	VFMADD231PS(aaa, in[3], oddA)
	VMULPS(b, in[1], oddB)
	VFMADD231PS(bbb, in[3], oddB)
	minusA, minusB := s.newVector(), in[2]
	VSUBPS(oddA, evenA, minusA)
	VADDPS(oddA, evenA, evenA)
	VSUBPS(oddB, evenB, minusB)
	VADDPS(oddB, evenB, evenB)
	return []reg.VecVirtual{in[0], evenA, minusA, evenB, minusB, in[3]}
}

func applyKernel(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	evenA, evenB := s.newVector(), s.newVector()
	VMULPS(constants[1], in[0], evenA)
	VFMADD231PS(constants[3], in[2], evenA)
	VMULPS(constants[4], in[0], evenB)
	VFMADD231PS(constants[6], in[2], evenB)
	plusA, minusA := sumAndDifference(evenA, in[1], constants[2], s)
	plusB, minusB := sumAndDifference(evenB, in[1], constants[5], s)
	VMULPS(constants[0], in[0], in[0])
	return []reg.VecVirtual{in[0], plusA, minusA, plusB, minusB, in[2]}
}

func applyKernelGradient(in, constants []reg.VecVirtual, s instructionSet) []reg.VecVirtual {
	evenA, oddA := evenAndOdd(in[1], in[2], s)
	evenB, oddB := evenAndOdd(in[3], in[4], s)
	first, last := in[0], in[5]
	VMULPS(constants[0], first, first)
	VFMADD231PS(constants[1], evenA, first)
	VFMADD231PS(constants[4], evenB, first)
	VFMADD231PS(constants[3], evenA, last)
	VFMADD231PS(constants[6], evenB, last)
	VMULPS(constants[2], oddA, oddA)
	VFMADD231PS(constants[5], oddB, oddA)
	return []reg.VecVirtual{first, oddA, last}
}

func duplicate(value reg.VecVirtual, s instructionSet) reg.VecVirtual {
	copied := s.newVector()
	VMOVAPS(value, copied)
	return copied
}

// sumAndDifference returns even + factor odd and even - factor odd, the latter in even.
func sumAndDifference(even, odd, factor reg.VecVirtual, s instructionSet) (sum, difference reg.VecVirtual) {
	sum = duplicate(even, s)
	VFMADD231PS(factor, odd, sum)
	VFNMADD231PS(factor, odd, even)
	return sum, even
}

// evenAndOdd returns plus + minus and plus - minus, the former in minus.
func evenAndOdd(plus, minus reg.VecVirtual, s instructionSet) (even, odd reg.VecVirtual) {
	odd = s.newVector()
	VSUBPS(minus, plus, odd)
	VADDPS(minus, plus, minus)
	return minus, odd
}
