package engine

import (
	"os"
	"strings"
)

// PrecisionVariable is NVIDIA's variable; with the value 0 its libraries compute float32 products
// in float32, else in TF32, whose factors have 11 bits.
const PrecisionVariable = "NVIDIA_TF32_OVERRIDE"

// withPrecision adds to a user's options that the matrix products of XLA itself do as NVIDIA's
// libraries were told.
func withPrecision(options string) string {
	if os.Getenv(PrecisionVariable) != "0" || strings.Contains(options, "tf32") {
		return options
	}
	return strings.TrimPrefix(options+",tf32=false", ",")
}
