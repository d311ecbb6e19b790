package main

import (
	"testing"

	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The words are those of GNU as for aarch64.
func TestWordsAreEncodedLikeByAnAssembler(t *testing.T) {
	for _, test := range []struct {
		opcode   string
		operands []Op
		want     text
	}{
		{"FADD", []Op{reg.X3, reg.X2, reg.X1}, "$0x4e23d441 // fadd v1.4s, v2.4s, v3.4s"},
		{"FSUB", []Op{reg.X3, reg.X2, reg.X1}, "$0x4ea3d441 // fsub v1.4s, v2.4s, v3.4s"},
		{"FMUL", []Op{reg.X3, reg.X2, reg.X1}, "$0x6e23dc41 // fmul v1.4s, v2.4s, v3.4s"},
		{"FMAX", []Op{reg.X3, reg.X2, reg.X1}, "$0x4e23f441 // fmax v1.4s, v2.4s, v3.4s"},
		{"FCMGT", []Op{reg.X3, reg.X2, reg.X1}, "$0x6ea3e441 // fcmgt v1.4s, v2.4s, v3.4s"},
		{"FCMEQ", []Op{reg.X3, reg.X2, reg.X1}, "$0x4e23e441 // fcmeq v1.4s, v2.4s, v3.4s"},
		{"LDRQ", []Op{reg.RBX, reg.RDX, reg.X1}, "$0x3ce36841 // ldr q1, [x2, x3]"},
		{multiplyAddOpcode, []Op{U8(0), reg.X3, reg.X2, reg.X1},
			"$0x4f831041 // fmla v1.4s, v2.4s, v3.s[0]"},
		{multiplyAddOpcode, []Op{U8(1), reg.X3, reg.X2, reg.X1},
			"$0x4fa31041 // fmla v1.4s, v2.4s, v3.s[1]"},
		{multiplyAddOpcode, []Op{U8(2), reg.X3, reg.X2, reg.X1},
			"$0x4f831841 // fmla v1.4s, v2.4s, v3.s[2]"},
		{multiplyAddOpcode, []Op{U8(3), reg.X31, reg.X2, reg.X1},
			"$0x4fbf1841 // fmla v1.4s, v2.4s, v31.s[3]"},
	} {
		if got := words[test.opcode].encode(test.operands); got != test.want {
			t.Errorf("%s: got %s, want %s", test.opcode, got, test.want)
		}
	}
	if len(words) != 8 {
		t.Errorf("%d words, but this test knows 8", len(words))
	}
}
