//go:build amd64 || arm64

package kernel

// assemblyPasses are the passes in assembly: AVX2's on amd64, NEON's on arm64.
var assemblyPasses = memoryPasses{
	multiplyRows: multiplyRows, addRows: addRows, maximumRows: maximumRows,
	multiplySign: multiplySign,
	copyBlocks:   copyBlocks, transposeBlocks: transposeBlocks,
	normaliseRows: normaliseRows, normaliseRectifyRows: normaliseRectifyRows,
	normaliseAddRows: normaliseAddRows, normaliseAddRectifyRows: normaliseAddRectifyRows,
	poolRows: poolRows, poolGradientRows: poolGradientRows, descend: descend,

	sumRows: [13]sumRows{1: sumRows1, 3: sumRows3, 12: sumRows12},
	sumProductRows: [13]sumProductRows{1: sumProductRows1, 3: sumProductRows3,
		12: sumProductRows12},
	rectifiedNoiseRows: [5]rectifiedNoiseRows{1: rectifiedNoiseRows1, 2: rectifiedNoiseRows2,
		4: rectifiedNoiseRows4},
	momentRows: [5]momentRows{1: momentRows1, 2: momentRows2, 4: momentRows4},

	gradientSumRows: [5]gradientSumRows{1: gradientSumRows1, 2: gradientSumRows2,
		4: gradientSumRows4},
	gradientSumRowsRectified: [5]gradientSumRows{1: gradientSumRowsRectified1,
		2: gradientSumRowsRectified2, 4: gradientSumRowsRectified4},
	gradientSumRowsActivated: [5]activatedSumRows{1: gradientSumRowsActivated1,
		2: gradientSumRowsActivated2, 4: gradientSumRowsActivated4},
	normaliseGradientRows: [5]normaliseGradientRows{1: normaliseGradientRows1,
		2: normaliseGradientRows2, 4: normaliseGradientRows4},
	normaliseGradientRowsRectified: [5]normaliseGradientRows{1: normaliseGradientRowsRectified1,
		2: normaliseGradientRowsRectified2, 4: normaliseGradientRowsRectified4},
}
