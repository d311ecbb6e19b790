package lab

import (
	"fmt"
	"html"
	"strings"

	"github.com/janpfeifer/gonb/gonbui"
	"github.com/janpfeifer/gonb/gonbui/protocol"
)

// The page keeps the choice of a button, which is marked, and how sure the reader is, and informs
// answers already shown.
const (
	pressed = `const d=this.parentNode;` +
		`(globalThis.nbbnnGuesses??={})[d.dataset.name]=this.textContent;` +
		`for(const b of d.querySelectorAll('button')){` +
		`b.ariaPressed=b===this;b.style.outline=b===this?'3px solid #0067a8':''}` + informed
	moved = `this.previousElementSibling.value=this.value+' %';` +
		`const d=this.closest('.nbbnn-guess');` + informed
	informed = `const s=d.querySelector('input');` +
		`if(s)(globalThis.nbbnnSure??={})[d.dataset.name]=` +
		`[s.value/100,d.querySelectorAll('button').length];` +
		`document.dispatchEvent(new Event('nbbnn-guess'))`
)

// compare shows with an answer the reader's guess, also a later one, how many of the cell's guesses
// were right, and what they cost in nats if the reader said how sure they are. The other choices
// share the rest of the probability.
const compare = `<script>(answer=>{const tell=()=>{` +
	`const guesses=globalThis.nbbnnGuesses??{},guess=guesses[answer?.dataset.name];` +
	`if(!guess)return;` +
	`const right=a=>guesses[a.dataset.name]===a.dataset.truth;` +
	`const nats=a=>{const s=globalThis.nbbnnSure?.[a.dataset.name];` +
	`return s?-Math.log(right(a)?s[0]:(1-s[0])/(s[1]-1)):NaN};` +
	`const cost=n=>isNaN(n)?'':' '+n.toFixed(2)+' nats.';` +
	`answer.firstChild.textContent='You guessed '+guess+` +
	`(right(answer)?', and so it is.':': what did you expect, and why?')+cost(nats(answer))+' ';` +
	`const cell=answer.closest('.outputs,.jp-OutputArea')??document;` +
	`const all=[...cell.querySelectorAll('.nbbnn-answer')].filter(a=>guesses[a.dataset.name]);` +
	`const mean=all.reduce((sum,a)=>sum+nats(a)/all.length,0);` +
	`answer.children[2].textContent=all.length>1?` +
	`' '+all.filter(right).length+' of '+all.length+' guessed.'` +
	`+cost(mean).replace(' ',' Mean: '):''};` +
	`setTimeout(tell);document.addEventListener('nbbnn-guess',tell)})` +
	`(document.currentScript?.closest('.nbbnn-answer'))</script>`

const guessStyle = `style="font-family:sans-serif;font-size:16px"`

// Guess asks a question with a button for each choice, which work without a kernel, too. The page
// keeps the choice for Answer of the same name, in a later cell:
//
//	lab.Guess("snow", "Does snow make the error larger?", "yes", "no")
func Guess(name, question string, choices ...string) { ask(name, question, choices, "") }

// GuessSurely is Guess with a slider for the probability that the guess is right, from which Answer
// computes its negative log-likelihood.
func GuessSurely(name, question string, choices ...string) {
	ask(name, question, choices, fmt.Sprintf(`<label>right with <output>50 %%</output> `+
		`<input type="range" min="10" max="99" value="50" oninput="%s"></label>`,
		html.EscapeString(moved)))
}

func ask(name, question string, choices []string, more string) {
	var buttons strings.Builder
	for _, choice := range choices {
		fmt.Fprintf(&buttons,
			`<button type="button" onclick="%s" style="font:inherit;margin:4px 8px 4px 0;padding:4px 14px">%s</button>`,
			html.EscapeString(pressed), html.EscapeString(choice))
	}
	tell(question+" "+strings.Join(choices, " / "),
		fmt.Sprintf(`<div %s><p>%s</p><div class="nbbnn-guess" data-name="%s">%s</div></div>`,
			guessStyle, html.EscapeString(question), html.EscapeString(name),
			buttons.String()+more))
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
