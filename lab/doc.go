// Package lab has what notebooks need in addition to the library: values without their errors
// ([Must], [Check]), sentences that are checked ([Assert]), pictures and tables below the cell
// ([Show]), controls that redraw a figure ([Panel]), a live view of long work ([Live]), the stop
// button ([Interruptible]), and for lessons questions ([Guess], [Answer]), exercises that check
// themselves ([Grade]) and committed results ([Recorded]).
//
// A cell that trains a network and shows a figure:
//
//	var ctx = lab.Interruptible()
//
//	%%
//	run := lab.Must(nbbnn.Open("../runs", nbbnn.SmallAllCNNC()))
//	lab.Check(run.Train(ctx, lab.Live("my first run")))
//	lab.Show(viz.EntropyCurves(curves))
//
// The kernel GoNB compiles each cell to a program and runs it, so an error ends the cell: Must,
// Check, Show and Panel print it and exit. Outside a notebook, as in a test of a cell's code, Show,
// Panel and Live show nothing.
//
// Package lab links no engine and no trainer, so a cell that only reads numbers or draws starts as
// fast as its other imports permit.
package lab
