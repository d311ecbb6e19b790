// Package shell writes command lines that people copy.
//
//	"nbbnn runs --runs " + shell.Quote(directory)
package shell

import "strings"

// plain are the characters, beside letters and digits, that mean nothing to a shell.
const plain = "_-./:,=+@%"

// Quote returns a word as a shell takes it: as it is where it holds only plain characters, else between single quotes.
func Quote(word string) string {
	if word != "" && strings.IndexFunc(word, special) < 0 {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special says whether a character may mean something to a shell.
func special(r rune) bool {
	return r < 128 && !strings.ContainsRune(plain, r) && !('a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9')
}
