// Package onnx reads networks in the ONNX format that classify images: the operations as a small
// Graph, and the weights separately. It checks files, since they come from anywhere.
package onnx
