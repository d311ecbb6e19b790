// Package nearest finds the known name that a mistyped one most resembles, for error messages that
// offer a cure.
package nearest

// Name returns the known name with the smallest edit distance to got, and whether it's close enough
// to suggest: at most a third of the letters differ, but always one or two.
func Name(got string, known []string) (name string, ok bool) {
	best := max(2, len(got)/3) + 1
	for _, candidate := range known {
		if d := distance(got, candidate); d < best {
			best, name = d, candidate
		}
	}
	return name, name != ""
}

// Hint returns ` (did you mean "fog"?)` when a known name is close to got, else the empty string.
func Hint(got string, known []string) string {
	if name, ok := Name(got, known); ok {
		return ` (did you mean "` + name + `"?)`
	}
	return ""
}

// distance is the Levenshtein distance of two byte strings.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
