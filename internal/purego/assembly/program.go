package main

import (
	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
)

// program collects the functions that the descriptions write. It is not avo's global context, so
// that it can be translated before registers are allocated.
var program = build.NewContext()

// avo's names for registers, instructions and parts of a function.
var (
	GP64, XMM, YMM, ZMM                       = program.GP64, program.XMM, program.YMM, program.ZMM
	Doc, Pragma, Label, Load, Param           = program.Doc, program.Pragma, program.Label, program.Load, program.Param
	Instruction                               = program.Instruction
	ADDQ, ANDQ, CMPQ, DECQ                    = program.ADDQ, program.ANDQ, program.CMPQ, program.DECQ
	LEAQ, MOVQ, SHLQ, SHRQ                    = program.LEAQ, program.MOVQ, program.SHLQ, program.SHRQ
	TESTQ, XORQ                               = program.TESTQ, program.XORQ
	JMP, JNE, JNZ, JZ, RET                    = program.JMP, program.JNE, program.JNZ, program.JZ, program.RET
	VADDPS, VSUBPS, VMULPS, VMAXPS            = program.VADDPS, program.VSUBPS, program.VMULPS, program.VMAXPS
	VFMADD213PS, VFMADD231PS, VFNMADD231PS    = program.VFMADD213PS, program.VFMADD231PS, program.VFNMADD231PS
	VMOVSS, VMOVUPS, VMOVAPS, VBROADCASTSS    = program.VMOVSS, program.VMOVUPS, program.VMOVAPS, program.VBROADCASTSS
	VANDPS, VORPS, VXORPS, VPXORD             = program.VANDPS, program.VORPS, program.VXORPS, program.VPXORD
	VCMPPS, VBLENDVPS, VPCMPEQD               = program.VCMPPS, program.VBLENDVPS, program.VPCMPEQD
	VPSLLD, VPSRLD                            = program.VPSLLD, program.VPSRLD
	VUNPCKLPS, VUNPCKHPS, VSHUFPS, VPERM2F128 = program.VUNPCKLPS, program.VUNPCKHPS, program.VSHUFPS, program.VPERM2F128
	VZEROUPPER                                = program.VZEROUPPER
)

// TEXT begins a function.
func TEXT(name string, attributes attr.Attribute, signature string) {
	program.Function(name)
	program.Attributes(attributes)
	program.SignatureExpr(signature)
}
