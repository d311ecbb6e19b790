package ipynb

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// leastWords is the length from which on a repeated sentence is taken for a copy.
const leastWords = 6

var sentenceEnd = regexp.MustCompile(`[.?!:]["*)]*\s+|\n\n`)

// Repeated returns an error that names each sentence of the notebooks' text that stands in two of
// them, or twice in one. Headings may be alike.
func Repeated(notebooks ...Notebook) error {
	var problems []error
	first := map[string]string{} // notebook by sentence
	for _, n := range notebooks {
		for _, sentence := range sentenceEnd.Split(strings.Join(n.text(), "\n"), -1) {
			words := strings.Fields(sentence)
			sentence = strings.Join(words, " ")
			if len(words) < leastWords || words[0][0] == '#' {
				continue
			}
			if before, twice := first[sentence]; twice {
				problems = append(problems, fmt.Errorf("notebook: %s.md repeats a sentence of %s.md: %q", n.Name, before, sentence))
			}
			first[sentence] = n.Name
		}
	}
	return errors.Join(problems...)
}
