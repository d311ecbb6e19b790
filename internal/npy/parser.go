package npy

import (
	"fmt"
	"strconv"
	"strings"
)

// parser takes the header's text apart, token by token. The first error stays; later calls do
// nothing.
type parser struct {
	rest string
	err  error
}

// fail keeps the first error and says where it happened.
func (p *parser) fail(format string, values ...any) {
	if p.err == nil {
		rest := p.rest[:min(len(p.rest), 24)]
		p.err = fmt.Errorf("npy: bad header: %s, before %q", fmt.Sprintf(format, values...), rest)
	}
}

// accept skips a token if it comes next.
func (p *parser) accept(token string) bool {
	rest, found := strings.CutPrefix(strings.TrimLeft(p.rest, " \n"), token)
	if !found || p.err != nil {
		return false
	}
	p.rest = rest
	return true
}

// expect skips a token that must come next.
func (p *parser) expect(token string) {
	if !p.accept(token) {
		p.fail("want %q", token)
	}
}

// quoted reads a string in single or double quotes, without escapes.
func (p *parser) quoted() string {
	for _, quote := range []string{"'", `"`} {
		if !p.accept(quote) {
			continue
		}
		text, rest, found := strings.Cut(p.rest, quote)
		if !found || strings.ContainsAny(text, "\\\n") {
			p.fail("string has no end")
			return ""
		}
		p.rest = rest
		return text
	}
	p.fail("want a string")
	return ""
}

func (p *parser) boolean() bool {
	if p.accept("True") {
		return true
	}
	p.expect("False")
	return false
}

// integer reads a decimal number of at most 12 digits, behind which Python 2 wrote an L.
func (p *parser) integer() int {
	p.rest = strings.TrimLeft(p.rest, " \n")
	digits := len(p.rest) - len(strings.TrimLeft(p.rest, "0123456789"))
	n, err := strconv.ParseInt(p.rest[:min(digits, 13)], 10, 64)
	if err != nil || digits > 12 {
		p.fail("want a length of 1 to 12 digits")
		return 0
	}
	p.rest = strings.TrimPrefix(p.rest[digits:], "L")
	return int(n)
}
