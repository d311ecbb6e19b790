package score

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

// methodNames names the methods by the settings in which they differ. Checksums are part of a name
// only if two methods would else have the same one.
func methodNames(methods []Method) []string {
	names, full := namesBy(methods, false), namesBy(methods, true)
	short := slices.Clone(names)
	for i, name := range short {
		if slices.Contains(short[:i], name) || slices.Contains(short[i+1:], name) {
			names[i] = full[i]
		}
	}
	return names
}

// namesBy names the methods by their differences, as in "gamma 80, components 4". Where the methods
// have several titles, or one of them differs in nothing that can be said, the title comes first. A
// method without title and differences is called by its network's name if its settings have one.
func namesBy(methods []Method, checksums bool) []string {
	names, differences, titled := make([]string, len(methods)), make([][]string, len(methods)), false
	for i, m := range methods {
		differences[i] = m.differences(methods, checksums)
		titled = titled || m.Title != methods[0].Title || len(methods) > 1 && len(differences[i]) == 0
	}
	for i, m := range methods {
		parts := differences[i]
		if titled && m.Title != "" {
			parts = append([]string{m.Title}, parts...)
		}
		names[i] = cmp.Or(strings.Join(parts, ", "), m.networkName(), fmt.Sprintf("method %d", i+1))
	}
	return names
}

// differences lists the settings of the method in which not all methods of its title agree. Empty ones
// aren't listed, and checksums only if they are asked for.
func (m Method) differences(methods []Method, checksums bool) (parts []string) {
	peers := slices.DeleteFunc(slices.Clone(methods), func(other Method) bool { return other.Title != m.Title })
	for _, leaf := range leaves(reflect.ValueOf(m.Settings)) {
		lacks := func(m Method) bool { return !slices.Contains(leaves(reflect.ValueOf(m.Settings)), leaf) }
		listed := leaf.value != "" && (checksums || !leaf.isChecksum())
		if listed && slices.ContainsFunc(peers, lacks) {
			parts = append(parts, leaf.name+" "+leaf.text(peers))
		}
	}
	return parts
}

// networkName is the name of the network in a method's settings; "" if they have none.
func (m Method) networkName() string {
	for _, leaf := range leaves(reflect.ValueOf(m.Settings)) {
		if leaf.path == "network.name" {
			return leaf.value
		}
	}
	return ""
}

// leaf is one field of a struct in words.
type leaf struct {
	path  string // JSON names from the outermost struct on, such as "network.name"
	name  string // the last of them with blanks
	value string
}

// checksumPattern fits SHA-256 sums.
var checksumPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (l leaf) isChecksum() bool { return checksumPattern.MatchString(l.value) }

// text returns the value without an error of rounding, unless one of the methods has a value that
// would then read the same.
func (l leaf) text(methods []Method) string {
	plain := quantity.Plain(l.value)
	for _, m := range methods {
		readsTheSame := func(other leaf) bool {
			return other.path == l.path && other.value != l.value && quantity.Plain(other.value) == plain
		}
		if slices.ContainsFunc(leaves(reflect.ValueOf(m.Settings)), readsTheSame) {
			return l.value
		}
	}
	return plain
}

// leaves lists the fields of a struct, and of those in it, by their JSON names. A value that is no
// struct has none.
func leaves(structure reflect.Value) (all []leaf) {
	if structure.Kind() != reflect.Struct {
		return nil
	}
	for i := range structure.NumField() {
		name, _, _ := strings.Cut(structure.Type().Field(i).Tag.Get("json"), ",")
		field := structure.Field(i)
		if field.Kind() != reflect.Struct {
			all = append(all, leaf{name, strings.ReplaceAll(name, "_", " "), fmt.Sprint(field)})
			continue
		}
		for _, inner := range leaves(field) {
			inner.path = name + "." + inner.path
			all = append(all, inner)
		}
	}
	return all
}
