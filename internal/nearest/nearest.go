// Package nearest finds the known name that a mistyped one most resembles, for error messages that
// offer a cure.
package nearest

import "strings"

// Name returns the known name with the smallest edit distance to got, and whether it's close enough
// to suggest: at most tolerance(got) edits, or as the only one that begins got, that got begins or
// whose words have the letters of got as initials.
// Small and capital letters are equal.
func Name(got string, known []string) (name string, ok bool) {
	got = strings.ToLower(got)
	best, begun := tolerance(got)+1, []string{}
	for _, candidate := range known {
		lower := strings.ToLower(candidate)
		if d := distance(got, lower); d < best {
			best, name = d, candidate
		}
		isPart := strings.HasPrefix(got, lower) || strings.HasPrefix(lower, got)
		if min(len(got), len(lower)) > 2 && isPart || len(got) > 1 && got == initials(lower) {
			begun = append(begun, candidate)
		}
	}
	if name == "" && len(begun) == 1 {
		name = begun[0]
	}
	return name, name != ""
}

// initials returns the first letters of the words of a name: "lr" of "learning-rate".
func initials(name string) (letters string) {
	for word := range strings.SplitSeq(name, "-") {
		letters += word[:min(1, len(word))]
	}
	return letters
}

// tolerance returns the number of edits that may separate a name from a suggestion: none for one
// letter, one for up to four, as two would leave half or less, two for up to eight, then a third.
func tolerance(got string) int {
	if len(got) <= 4 {
		return min(1, len(got)/2)
	}
	return max(2, len(got)/3)
}

// Hint returns ` (did you mean "fog"?)` when a known name is close to got, or the empty string.
func Hint(got string, known []string) string {
	if name, ok := Name(got, known); ok {
		return ` (did you mean "` + name + `"?)`
	}
	return ""
}

// distance returns the Levenshtein distance of two byte strings, in which two neighbours that are
// swapped count as one edit.
func distance(a, b string) int {
	before, row, next := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		next[0] = i + 1
		for j := range len(b) {
			substitute := row[j]
			if a[i] != b[j] {
				substitute++
			}
			next[j+1] = min(substitute, row[j+1]+1, next[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				next[j+1] = min(next[j+1], before[j-1]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
