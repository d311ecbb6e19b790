package workbench
import (
 _ "github.com/gomlx/compute/gobackend"
 _ "github.com/gomlx/gomlx/core/graph"
 _ "github.com/gomlx/gomlx/ml/model"
 _ "github.com/gomlx/go-xla/compute/xla"
 _ "github.com/spf13/cobra"
 _ "github.com/janpfeifer/gonb/gonbui"
 _ "gonum.org/v1/plot"
 _ "gonum.org/v1/plot/vg/vgimg"
 _ "gonum.org/v1/plot/vg/vgpdf"
 _ "gonum.org/v1/plot/vg/vgsvg"
 _ "gonum.org/v1/plot/cmpimg"
 _ "golang.org/x/sys/cpu"
)
