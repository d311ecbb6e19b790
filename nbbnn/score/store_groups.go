package score

import (
	"cmp"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// columnGroup is a group of columns of cells.csv. Some committed records lack all but the first. In
// the line of a cell without these metrics they are empty.
type columnGroup struct {
	columns []string
	fields  [][]int // where a cell keeps them, as in reflect.Value.FieldByIndex; nil: not read
}

// columnGroups are the groups in the order in which files have them, read from the tags of Cell.
var columnGroups = append(groupsOf(reflect.TypeFor[Cell](), make([]columnGroup, 5), nil, "", ""),
	columnGroup{[]string{"aps_plain_threshold", "aps_plain_coverage", "aps_plain_size"}, nil})

// groupsOf adds the float64s of a struct to their groups: a column is a JSON key behind the prefix
// of its struct, in the group of the outermost tag, the first if there is none.
func groupsOf(structure reflect.Type, groups []columnGroup, parent []int,
	group, prefix string) []columnGroup {
	for field := range structure.Fields() {
		place := append(slices.Clone(parent), field.Index...)
		group, prefix := cmp.Or(group, field.Tag.Get("group")), prefix+field.Tag.Get("prefix")
		inner := field.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		switch inner.Kind() {
		case reflect.Struct:
			groupsOf(inner, groups, place, group, prefix)
		case reflect.Float64:
			key, _, _ := strings.Cut(field.Tag.Get("json"), ",")
			number, _ := strconv.Atoi(group)
			g := &groups[number]
			g.columns, g.fields = append(g.columns, prefix+key), append(g.fields, place)
		}
	}
	return groups
}

// columnPlaces maps a column to its group in columnGroups and its place there.
var columnPlaces = func() map[string][2]int {
	places := map[string][2]int{}
	for g, group := range columnGroups {
		for i, column := range group.columns[:len(group.fields)] {
			places[column] = [2]int{g, i}
		}
	}
	return places
}()

// has reports whether a cell has the metrics; only the first group's may be zero.
func (g columnGroup) has(c *Cell) bool {
	return g.fields != nil && (g.columns[0] == columnGroups[0].columns[0] ||
		!reflect.ValueOf(c).Elem().Field(g.fields[0][0]).IsZero())
}

// metric returns the value of a column, and reports whether the cell has it.
func (c *Cell) metric(column string) (value float64, found bool) {
	place, known := columnPlaces[column]
	if group := columnGroups[place[0]]; known && group.has(c) {
		return *c.field(group.fields[place[1]]), true
	}
	return 0, false
}

// field returns where a cell keeps a metric. It adds the struct around it.
func (c *Cell) field(place []int) *float64 {
	value := reflect.ValueOf(c).Elem()
	for _, index := range place {
		if value.Kind() == reflect.Pointer {
			if value.IsNil() {
				value.Set(reflect.New(value.Type().Elem()))
			}
			value = value.Elem()
		}
		value = value.Field(index)
	}
	return value.Addr().Interface().(*float64)
}

// groupsIn returns the groups whose columns a header has, in their order, and reports whether it
// has nothing else.
func groupsIn(header []string, optional []columnGroup) (groups []columnGroup, known bool) {
	for _, group := range optional {
		if count := len(group.columns); len(header) >= count &&
			slices.Equal(header[:count], group.columns) {
			groups, header = append(groups, group), header[count:]
		}
	}
	return groups, len(header) == 0
}

// read sets the metrics of a cell from its line, unless they are empty there or of no use now.
func (g columnGroup) read(fields *record, cell *Cell) {
	columns := fields.fields[:len(g.columns)]
	if strings.Join(columns, "") == "" || g.fields == nil {
		fields.fields = fields.fields[len(g.columns):]
		return
	}
	for _, place := range g.fields {
		*cell.field(place) = fields.float()
	}
}

// line returns the columns of a cell.
func (g columnGroup) line(cell Cell) []string {
	line := make([]string, len(g.columns))
	if g.has(&cell) {
		for i, place := range g.fields {
			line[i] = formatFloat(*cell.field(place))
		}
	}
	return line
}

// usedGroups returns the groups that at least one row has metrics of.
func usedGroups(rows []cellRow) (groups []columnGroup) {
	for _, group := range columnGroups {
		if slices.ContainsFunc(rows, func(row cellRow) bool { return group.has(&row.Cell) }) {
			groups = append(groups, group)
		}
	}
	return groups
}
