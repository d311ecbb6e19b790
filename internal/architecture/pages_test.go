package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// docs/architecture.md names every package that programs may import, and only folders that exist.
func TestPageNamesPackages(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(root, "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, match := range regexp.MustCompile(
		"(?:`|\\[\")([a-z0-9]+(?:/[a-z0-9]+)*)(?:`|: )").FindAllStringSubmatch(string(text), -1) {
		named = append(named, match[1])
		if info, err := os.Stat(filepath.Join(root, match[1])); err != nil || !info.IsDir() {
			t.Errorf("docs/architecture.md names %s, which is no folder", match[1])
		}
	}
	for folder := range sources(t) {
		room, _, _ := strings.Cut(folder, "/")
		if !slices.Contains([]string{"internal", "tools", "docker", "docs"}, room) &&
			!slices.Contains(named, folder) {
			t.Errorf("docs/architecture.md doesn't name %s", folder)
		}
	}
}

// Each relative link of a Markdown page leads to a file, and its anchor to a heading there.
func TestLinksLeadToFiles(t *testing.T) {
	links := 0
	for page, text := range markdown(t) {
		for _, link := range relativeLinks(text) {
			links++
			name, anchor, _ := strings.Cut(link, "#")
			place := filepath.Join(root, page)
			if name != "" {
				place = filepath.Join(root, filepath.Dir(page), name)
			}
			if _, err := os.Stat(place); err != nil {
				t.Errorf("%s: the link %s leads nowhere: %v", page, link, err)
			} else if anchor != "" && !hasAnchor(t, place, anchor) {
				t.Errorf("%s: the link %s leads to no heading", page, link)
			}
		}
	}
	if links < 100 {
		t.Errorf("%d relative links found, want 100 or more: are they recognized?", links)
	}
}

func TestRelativeLinks(t *testing.T) {
	const page = "[a](a.md#b) ![p](p.png \"title\")\n[c]\n\n[c]: c/d.md\n<a href=\"e.md\"><img " +
		"src=\"f.svg\"></a>\n" +
		"[web](https://example.org/x.md) [mail](mailto:a@example.org) `[code](code.md)`\n" +
		"    ```\n[fence](fence.md)\n    ```\n[two\nlines](g.md)\n"
	got := strings.Join(relativeLinks(page), " ")
	if want := "a.md#b p.png c/d.md e.md f.svg g.md"; got != want {
		t.Errorf("links %s, want %s", got, want)
	}
}

// markdown returns the texts of the repository's Markdown pages by their paths.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	eachFile(t, func(page, file string) error {
		if filepath.Ext(file) != ".md" {
			return nil
		}
		text, err := os.ReadFile(file)
		pages[page] = string(text)
		return err
	})
	return pages
}

var (
	codeBlock = regexp.MustCompile("(?ms)^ *```.*?^ *```")
	codeSpan  = regexp.MustCompile("`[^`\n]*`")
	// target finds the address of a link, of a reference and of an HTML attribute.
	target = regexp.MustCompile(
		`\]\(([^)\s]+)[^)]*\)|(?m:^\[[^\]]+\]:\s*(\S+))|(?:href|src)="([^"]+)"`)
	foreign = regexp.MustCompile(`^([a-z]+:|//)`)
)

// relativeLinks returns the addresses of a page's links that name no other site.
func relativeLinks(page string) (links []string) {
	page = codeSpan.ReplaceAllString(codeBlock.ReplaceAllString(page, ""), "")
	for _, match := range target.FindAllStringSubmatch(page, -1) {
		if link := match[1] + match[2] + match[3]; !foreign.MatchString(link) {
			links = append(links, link)
		}
	}
	return links
}

// Each section of METHOD.md that a source or a page cites is there.
func TestSectionsOfMethodExist(t *testing.T) {
	const method = "docs/spec/METHOD.md"
	texts := markdown(t)
	var there []string
	for _, match := range sectionHead.FindAllStringSubmatch(texts[method], -1) {
		there = append(there, match[1])
	}
	for file, text := range codeOf(t).texts {
		if filepath.Ext(file) == ".go" {
			texts[file] = text
		}
	}
	cited := 0
	for file, text := range texts {
		if file == "internal/architecture/pages_test.go" {
			continue
		}
		for _, section := range sectionsCited(text, file == "docs/method.md") {
			if cited++; !slices.Contains(there, section) {
				t.Errorf("%s cites section %s of METHOD.md, which has %s", file, section,
					strings.Join(there, " "))
			}
		}
	}
	if cited < 80 {
		t.Errorf("%d sections cited, want 80 or more: are they recognized?", cited)
	}
}

func TestSectionsCited(t *testing.T) {
	const text = "// (METHOD.md 4.3). METHOD.md section\n\t// 2, METHOD.md sections 4 and 6, " +
		"METHOD.md 9.1, 25, METHOD.md 3.4, case B,\n" +
		"[METHOD.md](../spec/METHOD.md) 4.2 and METHOD.md 1.2 and 1.3; METHOD.md gives 7 " +
		"(section 8)\n"
	if got, want := strings.Join(sectionsCited(text, false), " "),
		"4.3 2 4 6 9.1 3.4 4.2 1.2 1.3"; got != want {
		t.Errorf("sections %s, want %s", got, want)
	}
	if got := sectionsCited(text, true); !slices.Contains(got, "8") {
		t.Errorf("of a page on METHOD.md itself, sections %s, want 8, too", got)
	}
}

var (
	sectionHead  = regexp.MustCompile(`(?m)^##+ (\d+(?:\.\d+)?)`)
	lineBreak    = regexp.MustCompile(`\n\s*(?://)?\s*`)
	sectionCited = regexp.MustCompile(
		`METHOD\.md(?:\]\([^)]*\))?,? (?:sections? )?(\d+(?:\.\d+)?)(?: and (\d+(?:\.\d+)?))?`)
	sectionAlone = regexp.MustCompile(`\(section (\d+(?:\.\d+)?)\)`)
)

// sectionsCited returns the numbers of METHOD.md's sections that a text cites. A page on METHOD.md
// itself also cites them without its name.
func sectionsCited(text string, itself bool) (sections []string) {
	text = lineBreak.ReplaceAllString(text, " ")
	matches := sectionCited.FindAllStringSubmatch(text, -1)
	if itself {
		matches = append(matches, sectionAlone.FindAllStringSubmatch(text, -1)...)
	}
	for _, match := range matches {
		for _, section := range match[1:] {
			if section != "" {
				sections = append(sections, section)
			}
		}
	}
	return sections
}

var (
	heading      = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInAnchors = regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
)

// hasAnchor reports whether a page has a heading with an anchor, as GitHub names it.
func hasAnchor(t *testing.T, page, anchor string) bool {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, match := range heading.FindAllStringSubmatch(codeBlock.ReplaceAllString(string(text),
		""), -1) {
		name := notInAnchors.ReplaceAllString(strings.ToLower(match[1]), "")
		if strings.ReplaceAll(name, " ", "-") == anchor {
			return true
		}
	}
	return false
}

// A program that somebody built isn't part of the repository.
func TestNoProgramIsTracked(t *testing.T) {
	output, err := exec.Command("git", "-C", root, "ls-files", "-z").Output()
	if err != nil {
		t.Skip("SKIPPED: these sources are in no repository: ", err)
	}
	for name := range strings.SplitSeq(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		file, err := os.Open(filepath.Join(root, name))
		if err != nil {
			continue // removed, and not yet committed
		}
		var magic [4]byte
		_, _ = file.Read(magic[:])
		file.Close()
		if string(magic[:]) == "\x7fELF" {
			t.Errorf("%s is a program: git rm it", name)
		}
	}
}
