package paper

import (
	"path"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// pageWidth is the longest line of prose on a generated page, in letters.
const pageWidth = 100

// paragraph breaks a text into lines.
func paragraph(text string) string { return item("", text) }

// item breaks a text into lines after a mark such as "- ", below which the further lines are
// indented.
func item(mark, text string) string {
	indent := strings.Repeat(" ", utf8.RuneCountInString(mark))
	var lines []string
	line := mark
	for word := range strings.FieldsSeq(text) {
		if utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > pageWidth && strings.TrimSpace(line) != "" {
			lines = append(lines, strings.TrimRight(line, " "))
			line = indent
		}
		if !strings.HasSuffix(line, " ") && line != "" {
			line += " "
		}
		line += word
	}
	return strings.Join(append(lines, line), "\n")
}

// upperFirst returns a sentence with a capital at its beginning.
func upperFirst(text string) string { return changeFirst(text, unicode.ToUpper) }

// lowerFirst returns a sentence without a capital at its beginning, unless that begins a name such
// as NLL.
func lowerFirst(text string) string {
	if strings.HasPrefix(text, strings.ToUpper(text[:min(2, len(text))])) && len(text) > 1 && text[1] != ' ' {
		return text
	}
	return changeFirst(text, unicode.ToLower)
}

func changeFirst(text string, change func(rune) rune) string {
	first, size := utf8.DecodeRuneInString(text)
	if size == 0 {
		return ""
	}
	return string(change(first)) + text[size:]
}

// markdownTable writes rows, the first of which is the header.
func markdownTable(rows [][]string) string {
	if len(rows) == 0 {
		return ""
	}
	var text strings.Builder
	for i, row := range rows {
		cells := slices.Clone(row)
		for len(cells) < len(rows[0]) {
			cells = append(cells, "")
		}
		text.WriteString("| " + strings.Join(cells, " | ") + " |\n")
		if i == 0 {
			text.WriteString("|" + strings.Repeat("--|", len(cells)) + "\n")
		}
	}
	return text.String()
}

// joinParts puts an empty line between the parts that aren't empty.
func joinParts(parts []string) string {
	var text strings.Builder
	for _, part := range parts {
		if part = strings.Trim(part, "\n"); part != "" {
			text.WriteString("\n" + part + "\n")
		}
	}
	return text.String()
}

// linkTarget is the target of a link in Markdown.
var linkTarget = regexp.MustCompile(`\]\(([^)#]+)`)

// relinked returns a folder's text for a page next to that folder: relative links lead from there.
func relinked(text, folder string) string {
	return linkTarget.ReplaceAllStringFunc(text, func(link string) string {
		target := strings.TrimPrefix(link, "](")
		if strings.Contains(target, "://") {
			return link
		}
		return "](" + path.Join(folder, target)
	})
}
