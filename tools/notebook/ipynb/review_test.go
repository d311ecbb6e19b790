package ipynb

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// ending holds the sections that every notebook has.
const ending = "\n## Exercises\n\n## What nobody knows\n"

// fenced puts Go code into a cell with text in front of it.
func fenced(options, code string) string {
	return "Text.\n\n```go" + options + "\n" + code + "\n```\n" + ending
}

func TestReview(t *testing.T) {
	lines := func(count int) string {
		return strings.TrimSuffix(strings.Repeat("x()\n", count), "\n")
	}
	for _, test := range []struct{ name, source, want string }{
		{"good", fenced(` tags=["figure"]`, "lab.Show(f)"), ""},
		{"table", fenced("", "lab.Show(table)"), ""},
		{"no text", "```go\nx()\n```\n" + ending, "small.md:2: a code cell without text in front " +
			"of it"},
		{"two code cells", "Text.\n\n```go\nx()\n```\n\n```go\ny()\n```\n" + ending,
			"small.md:8: a code cell without text"},
		{"long cell", fenced("", lines(13)), "a cell of 13 lines"},
		{"from scratch", fenced(` tags=["scratch"]`, lines(60)), ""},
		{"long from scratch", fenced(` tags=["scratch"]`, lines(61)), "a cell of 61 lines"},
		{"dot import", fenced("", "import . \"math\""), "small.md:4: a dot import"},
		{"grouped dot import", fenced("", "import (\n\t. \"math\"\n)"), "small.md:5: a dot import"},
		{"command in a string", fenced("", "x := `a\n!echo b`"),
			`small.md:5: the kernel would run or cut out the line "!echo b` + "`" + `"`},
		{"command of gonb in a comment", fenced("", "/* a\n//gonb:%help\n*/"),
			"small.md:5: the kernel would"},
		{"commands outside of strings", fenced("", "!echo `\n%%\nx := \"a\" // `\n!ls '"), ""},
		{"what isn't in front", fenced("", "x := `a\n !echo b\n100 %\n%\n`"), ""},
		{"figure without tag", fenced("", "lab.Show(f)"), "go together"},
		{"tag without figure", fenced(` tags=["figure"]`, "x()"), "go together"},
		{"folded", fenced(` jupyter={"source_hidden": true}`, lines(60)), ""},
		{"900 words", strings.Repeat("word ", 894) + ending, ""},
		{"too many words", strings.Repeat("word ", 896) + ending, "small.md: 902 words of text, " +
			"want at most 900"},
		{"no open question", "Text.\n\n## Exercises\n", `no section "## What nobody knows"`},
		{"no exercises", "Text.\n\n## What nobody knows\n", `no section "## Exercises"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := Review(mustParse(t, test.source))
			if test.want == "" && err != nil {
				t.Errorf("got error %v, want none", err)
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestRepeated(t *testing.T) {
	one := mustParse(t, "[Set-up](a):\n\n## Noise makes a cloud of outputs of each "+
		"image\n\n\nNoise makes a cloud\nof outputs of each image. So it is.\n"+fenced("", "x()"))
	other := mustParse(t, "[Set-up](a):\n\nSo it is.\n\nWhy?  Noise makes a cloud of outputs of "+
		"each image.\n"+fenced("", "x()"))
	third := mustParse(t, "Noise makes another cloud of outputs of each image.\n"+fenced("", "x()"))
	if err := repeated(one, third); err != nil {
		t.Errorf("different texts: %v", err)
	}
	const want = `small.md repeats a sentence of small.md: "Noise makes a cloud of outputs of each image"`
	if err := repeated(one, other); err == nil || !strings.Contains(err.Error(), want) ||
		strings.Count(err.Error(), "repeats") != 1 {
		t.Errorf("a sentence that stands twice: %v, want %s", err, want)
	}
}

// leastWords is the length from which on a repeated sentence is taken for a copy.
const leastWords = 6

var sentenceEnd = regexp.MustCompile(`[.?!:]["*)]*\s+|\n\n`)

// repeated returns an error that names each sentence of the notebooks' text that stands in two of
// them, or twice in one. Headings may be alike.
func repeated(notebooks ...Notebook) error {
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
				problems = append(problems, fmt.Errorf("notebook: %s.md repeats a sentence of "+
					"%s.md: %q", n.Name, before, sentence))
			}
			first[sentence] = n.Name
		}
	}
	return errors.Join(problems...)
}
