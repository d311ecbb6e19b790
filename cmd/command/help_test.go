package command

import (
	"io"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/pflag"
)

// leaning are words that refer to the text of another flag.
var leaning = regexp.MustCompile(`(?i)^(only |while )?(those|that|these|they|them|this|it|its|of|which)\b|\bthe same as --|\bof (that|those)\b`)

// The help of a flag says what the flag takes, and stands alone: no word in back quotes is taken for
// the type of its value, and no text leans on that of another flag.
func TestHelpOfEveryFlagStandsAlone(t *testing.T) {
	count := 0
	for _, command := range allCommands(newRoot(streams{out: io.Discard, err: io.Discard})) {
		command.LocalFlags().VisitAll(func(flag *pflag.Flag) {
			count++
			kind, usage := pflag.UnquoteUsage(flag)
			if usage != flag.Usage {
				t.Errorf("%s --%s: the help takes %q for the type: %s", command.CommandPath(), flag.Name, kind, flag.Usage)
			}
			if leaning.MatchString(usage) && !flag.Hidden {
				t.Errorf("%s --%s: the help leans on another flag: %s", command.CommandPath(), flag.Name, usage)
			}
		})
	}
	if count < 150 {
		t.Errorf("%d flags were found, want 150 or more", count)
	}
}

// The help shows the flags that people use, in groups, and --help-all shows all.
func TestHelpShowsTheUsualFlags(t *testing.T) {
	short, _, status := execute(t, "train", "--help")
	all, _, statusAll := execute(t, "train", "--help-all")
	for _, group := range []string{"\nData:\n", "\nNetwork:\n", "\nPosterior:\n", "\nTraining:\n"} {
		if !strings.Contains(short, group) || !strings.Contains(all, group) {
			t.Errorf("the help has no group %q:\n%s", group, short)
		}
	}
	for _, flag := range []string{"--swag-rank int", "Options of sam and asam:", "--keep-every"} {
		if strings.Contains(short, flag) || !strings.Contains(all, flag) {
			t.Errorf("%s is in the short help, or not in the long one", flag)
		}
	}
	if shown := len(regexp.MustCompile(`(?m)^ +(-\w, )?--`).FindAllString(short, -1)); shown > 20 || status != exitDone || statusAll != exitDone {
		t.Errorf("the short help shows %d flags, want 20 at most; status %d and %d", shown, status, statusAll)
	}
	if _, stderr, status := execute(t, "weights", "import", "--help-all"); status != exitDone {
		t.Errorf("without its argument: status %d, %s", status, stderr)
	}
}
