// Package baseline names the methods that node-BNNs are compared with (METHOD.md section 8), and
// their options: each trains an ordinary network, one without latents. docs/methods.md lists them
// with their formulas and sources. Define adds the methods of a program's own, which train
// node-BNNs, too.
package baseline
