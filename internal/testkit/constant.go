package testkit

import (
	"go/ast"
	"go/token"
	"strconv"
)

// ConstantText returns the text of a string literal, or of a sum of literals. A walk needn't
// descend into the node.
func ConstantText(node ast.Node) (text string, is bool) {
	switch node := node.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(node.Value)
		return text, err == nil && node.Kind == token.STRING
	case *ast.BinaryExpr:
		left, isLeft := ConstantText(node.X)
		right, isRight := ConstantText(node.Y)
		return left + right, isLeft && isRight && node.Op == token.ADD
	}
	return "", false
}
