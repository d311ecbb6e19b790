// Package notebooks lists the imports that notebook cells may use, so that this module's go.mod and
// go.sum cover them and a kernel finds everything without a network.
package notebooks

import (
	_ "github.com/janpfeifer/gonb/gonbui"         // the kernel's own library
	_ "github.com/nbbnn/workbench/corrupt"        // the corruptions
	_ "github.com/nbbnn/workbench/dataset"        // the images
	_ "github.com/nbbnn/workbench/dataset/folder" // folders of pictures
	_ "github.com/nbbnn/workbench/lab"            // a cell's needs besides the library
	_ "github.com/nbbnn/workbench/lab/curve"      // networks of one dimension
	_ "github.com/nbbnn/workbench/lab/explorer"   // networks to ask
	_ "github.com/nbbnn/workbench/nbbnn"          // the method
	_ "github.com/nbbnn/workbench/nbbnn/implicit" // changes of images that explain the noise
	_ "github.com/nbbnn/workbench/nbbnn/network"  // the method as graphs
	_ "github.com/nbbnn/workbench/nbbnn/score"    // numbers from predictions
	_ "github.com/nbbnn/workbench/paper"          // the figures of the paper
	_ "github.com/nbbnn/workbench/viz"            // the pictures
	_ "github.com/nbbnn/workbench/viz/report"     // pictures of evaluated runs
	_ "gonum.org/v1/plot/plotter"                 // to add to pictures
)
