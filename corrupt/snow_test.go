package corrupt

import "testing"

func TestSnowLayerEqualsTheReference(t *testing.T) {
	eachVariant(t, goldenVariants[:2], func(t *testing.T, variant goldenVariant) {
		normals, angles := golden[float32](t, variant.folder, "draw_snow_normal_"+variant.suffix), golden[float64](t, variant.folder, "draw_snow_angle_"+variant.suffix)
		layers := golden[uint8](t, variant.folder, "stage_snow_layer_"+variant.suffix)
		for severity := 1; severity <= 5; severity++ {
			size := Size{layers.Shape[2], layers.Shape[3]}
			c := newSnow(setup{table: variant.table, severity: severity, size: size}).(*snow)
			for image := range normals.Shape[0] {
				c.fillLayer(&draws{normals: widen(normals.At(image).Values), angle: angles.Values[image]})
				compareStage(t, c.layer, layers.At(severity-1, image).Values, 0)
			}
		}
	})
}
