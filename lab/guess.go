package lab

import (
	"fmt"
	"html"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// pressed stores a button's choice in the page, marks it, and informs answers already shown.
const pressed = `(globalThis.nbbnnGuesses??={})[this.parentNode.dataset.name]=this.textContent;` +
	`for(const b of this.parentNode.children){b.ariaPressed=b===this;b.style.outline=b===this?'3px solid #0067a8':''}` +
	`document.dispatchEvent(new Event('nbbnn-guess'))`

// compare shows with an answer the reader's guess, also a later one, and how many of the cell's
// guesses were right.
const compare = `<script>(answer=>{const tell=()=>{` +
	`const guesses=globalThis.nbbnnGuesses??{},guess=guesses[answer?.dataset.name];if(!guess)return;` +
	`const right=a=>guesses[a.dataset.name]===a.dataset.truth;` +
	`answer.firstChild.textContent='You guessed '+guess+` +
	`(right(answer)?', and so it is. ':': what did you expect, and why? ');` +
	`const cell=answer.closest('.outputs,.jp-OutputArea')??document;` +
	`const all=[...cell.querySelectorAll('.nbbnn-answer')].filter(a=>guesses[a.dataset.name]);` +
	`answer.children[2].textContent=` +
	`all.length>1?' '+all.filter(right).length+' of '+all.length+' guessed.':''};` +
	`setTimeout(tell);document.addEventListener('nbbnn-guess',tell)})` +
	`(document.currentScript?.closest('.nbbnn-answer'))</script>`

const guessStyle = `style="font-family:sans-serif;font-size:16px"`

// Guess asks a question with a button for each choice, which work without a kernel, too. The page
// keeps the choice for Answer of the same name, in a later cell:
//
//	lab.Guess("snow", "Does snow make the error larger?", "yes", "no")
func Guess(name, question string, choices ...string) {
	var buttons strings.Builder
	for _, choice := range choices {
		fmt.Fprintf(&buttons,
			`<button type="button" onclick="%s" style="font:inherit;margin:4px 8px 4px 0;padding:4px 14px">%s</button>`,
			html.EscapeString(pressed), html.EscapeString(choice))
	}
	tell(question+" "+strings.Join(choices, " / "),
		fmt.Sprintf(`<div %s><p>%s</p><div class="nbbnn-guess" data-name="%s">%s</div></div>`,
			guessStyle, html.EscapeString(question), html.EscapeString(name), buttons.String()))
}

// Answer shows the true answer to a question of Guess, with the reader's guess.
func Answer(name, truth string) {
	tell(fmt.Sprintf("The answer is %q.", truth),
		fmt.Sprintf(
			`<div class="nbbnn-answer" data-name="%s" data-truth="%s" %s><span></span>The answer is <b>%[2]s</b>.<span></span>%[4]s</div>`,
			html.EscapeString(name), html.EscapeString(truth), guessStyle, compare))
}

// tell shows HTML in a notebook and prints the text elsewhere.
func tell(text, page string) {
	if !gonbui.IsNotebook {
		fmt.Println(text)
		return
	}
	Check(flush(&protocol.DisplayData{Data: map[protocol.MIMEType]any{
		protocol.MIMETextHTML: page}}))
}
