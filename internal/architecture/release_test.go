package architecture

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Each link of the README in a release leads to a file of the repository at the commit that was
// built, or elsewhere in the web.
func TestPackedReadmeLinksToTheCommit(t *testing.T) {
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	const commit = "0123456789abcdef"
	text, err := exec.Command(shell, filepath.Join(root, "tools", "release", "readme.sh"),
		commit).Output()
	if err != nil {
		t.Fatal(err)
	}
	if links := relativeLinks(string(text)); len(links) > 0 {
		t.Errorf("links %s lead to nothing in the archive", links)
	}
	top := strings.Split(string(text), "\n")[2]
	if !strings.HasPrefix(top, "You unpacked the "+
		"program: `./nbbnn corrupt show`, then `./nbbnn figure demo --seeds 1`; `make` and ") {
		t.Errorf("the first paragraph is %q", top)
	}
	if absent := regexp.MustCompile(`(?m)^    (bin/nbbnn|\./nbbnn.* docs/).*`).FindAllString(
		string(text), -1); absent != nil || !strings.Contains(string(text), "\n    ./nbbnn train") {
		t.Errorf("commands name files that aren't in the archive: %q", absent)
	}
	read := func(name string) string {
		return string(testkit.Must(os.ReadFile(filepath.Join(root, name)))(t))
	}
	_, record, _ := strings.Cut(read("tools/release/build.sh"), "\nrecord=")
	record, _, _ = strings.Cut(record, "\n")
	verify := "verify " + filepath.Base(record)
	if read(record); !strings.Contains(top, verify) ||
		!strings.Contains(read("docs/install.md"), verify) {
		t.Errorf("no page says how to verify %s", record)
	}
	const repository = "https://github.com/nbbnn/workbench/"
	kinds := map[string]int{}
	for _, match := range regexp.MustCompile(`\]\(([^)]*)\)`).FindAllStringSubmatch(string(text),
		-1) {
		kind, rest, is := strings.Cut(strings.TrimPrefix(match[1], repository), "/"+commit+"/")
		if !is {
			continue
		}
		name, anchor, _ := strings.Cut(rest, "#")
		place := filepath.Join(root, name)
		if _, err := os.Stat(place); err != nil {
			t.Errorf("%s leads nowhere: %v", match[1], err)
		} else if anchor != "" && !hasAnchor(t, place, anchor) {
			t.Errorf("%s leads to no heading", match[1])
		}
		kinds[kind]++
		if isPicture := strings.Contains(rest, "/images/") || strings.HasSuffix(rest,
			".png"); isPicture != (kind == "raw") {
			t.Errorf("%s: a picture is raw, a page a blob", match[1])
		}
	}
	if kinds["raw"] < 3 || kinds["blob"] < 20 || len(kinds) != 2 {
		t.Errorf("links by kind: %v, want 3 pictures and 20 pages or more", kinds)
	}
}
