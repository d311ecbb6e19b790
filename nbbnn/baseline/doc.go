// Package baseline holds the methods that node-BNNs are compared with (METHOD.md section 8): each
// trains an ordinary network, one without latents. A method is an update rule, a schedule and hooks
// for the Stepper of package network, and says which weights predict. There is no training loop
// here.
//
// Method.Apply fills the options of a method and gives its settings to the network. Method.Training
// returns how the Stepper trains it. docs/methods.md lists the methods with their formulas and
// sources. Define adds the methods of a program's own, which train node-BNNs, too.
package baseline
