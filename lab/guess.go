package lab

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
)

// Guess asks the reader for an answer before a cell computes it. The guess is one of the choices, or
// "" as long as the reader hasn't chosen; then the cell ends here with the list of choices, unless
// it runs headless. The returned function prints the true answer, one of the choices, with the guess.
//
//	answer := lab.Guess("", "lower", "higher") // write your guess between the first quotes
func Guess(guess string, choices ...string) (answer func(truth string)) {
	list := `"` + strings.Join(choices, `", "`) + `"`
	Check(checkChoice("guess", guess, list, append(choices, "")))
	if guess == "" {
		fmt.Println("Your guess? Write one of " + list + " between the first quotes of lab.Guess, and run the cell again.")
	}
	if guess == "" && gonbui.IsNotebook && !headless() {
		Check(flush())
		os.Exit(0) // no failure: the next run has a guess
	}
	return func(truth string) {
		Check(checkChoice("answer", truth, list, choices))
		fmt.Println(revealed(guess, truth))
	}
}

// checkChoice returns an error unless text is one of the choices.
func checkChoice(what, text, list string, choices []string) error {
	if slices.Contains(choices, text) {
		return nil
	}
	return fmt.Errorf("lab: the %s %q is none of the choices: write one of %s", what, text, list)
}

// revealed tells the truth after a guess.
func revealed(guess, truth string) string {
	switch guess {
	case "":
		return fmt.Sprintf("The answer is %q.", truth)
	case truth:
		return fmt.Sprintf("You guessed %q, and so it is.", guess)
	}
	return fmt.Sprintf("You guessed %q. It is %q: what did you expect, and why?", guess, truth)
}
