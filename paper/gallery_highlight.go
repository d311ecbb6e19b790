package paper

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// highlighted is the part of a README that Highlight writes, with the name of a result's folder.
var highlighted = regexp.MustCompile(`(?s)<!-- result ([\w-]+) -->\n.*?<!-- end of result -->`)

// Highlight returns a README whose part between "<!-- result NAME -->" and "<!-- end of result -->"
// is about the result in folder/NAME: its picture, its finding and the effect with its interval.
// link is the folder as the README names it.
func Highlight(readme, folder, link string) (string, error) {
	match := highlighted.FindStringSubmatch(readme)
	if match == nil {
		return "", fmt.Errorf(`paper: the README has no line "<!-- result NAME -->" with "<!-- end of result -->" below: add both where the result goes`)
	}
	c, err := readResult(filepath.Join(folder, match[1]))
	if err != nil {
		return "", err
	}
	if c.result == nil {
		return "", fmt.Errorf("paper: %s has no verdicts: name a result that `nbbnn figure NUMBER --cards` wrote", c.folder)
	}
	block := fmt.Sprintf("<!-- result %s -->\n%s\n<!-- end of result -->", c.name, highlightOf(c, link))
	return highlighted.ReplaceAllLiteralString(readme, block), nil
}

// highlightOf is the picture and a paragraph.
func highlightOf(c committed, link string) string {
	r := c.result
	text := fmt.Sprintf("**%s.** This is the paper's Figure %d for %s, tested on %s. %s ",
		r.Finding, r.Figure, r.Subject, testText(r.Test), c.figure.Headline.Names)
	for _, v := range r.Verdicts {
		if v.Claim == r.Claim && len(v.Effects) > 0 {
			first, last := v.telling()
			text += fmt.Sprintf("The claim \"%s\" (%s): **%s**%s. %s. ", v.Claim, madeBy[v.Source], v.Text(), v.adjusted(), v.line(first))
			if last.Name != first.Name {
				text += v.line(last) + ". "
			}
		}
	}
	text += fmt.Sprintf("[%s](%[1]s/README.md) has all effects, what differs from the paper, and what that does to the claim.", link)
	picture, alternative := c.picture, c.alternative()
	if fileExists(filepath.Join(c.folder, findingFile)) {
		picture, alternative = findingFile, c.effectsText()
	}
	return fmt.Sprintf("![%s](%s/%s/%s)\n\n%s", alternative, link, c.name, picture, paragraph(strings.TrimSpace(text)))
}
