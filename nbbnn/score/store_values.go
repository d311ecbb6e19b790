package score

import (
	"slices"
	"strings"
)

// EachValue calls visit with every metric of every cell that a directory keeps, as the files spell
// them: the columns of its evaluation, corruption and severity, its images, the metric's column and
// the value. It compares the files with their checksums, as OpenStore does, before the first call,
// and reads no bins.
func EachValue(place, owner string, visit func(evaluation []string, images, metric, value string) error) error {
	identity := len(identityColumns)
	rows, groups, err := cellTable.read(place, owner)
	if err != nil {
		return err
	}
	customRows, _, err := customTable.read(place, owner)
	if err != nil {
		return err
	}
	metrics := cellColumns[identity+1:]
	for _, group := range groups {
		metrics = slices.Concat(metrics, group.columns)
	}
	images := map[string]string{} // by evaluation
	for _, row := range rows {
		evaluation := row.fields[:identity]
		if len(customRows) > 0 {
			images[strings.Join(evaluation, ",")] = row.fields[identity]
		}
		for i, metric := range metrics {
			if value := row.fields[identity+1+i]; value != "" {
				if err := visit(evaluation, row.fields[identity], metric, value); err != nil {
					return err
				}
			}
		}
	}
	for _, row := range customRows {
		evaluation := row.fields[:identity]
		if err := visit(evaluation, images[strings.Join(evaluation, ",")], row.fields[identity], row.fields[identity+1]); err != nil {
			return err
		}
	}
	return nil
}
