// Package onnx reads networks in the ONNX format that classify images: the operations as a Graph,
// which is small, apart from the weights. It checks what it reads, since files come from anywhere.
package onnx
