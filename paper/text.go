package paper

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nbbnn/workbench/internal/quantity"
)

// join is such as "M16, M32 and M64".
func join(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " and " + names[last]
}

// seedsText is such as "seed 1", "seeds 1 2" or, from five on, "seeds 1 to 25".
func seedsText(seeds []uint64) string {
	switch {
	case len(seeds) == 1:
		return fmt.Sprintf("seed %d", seeds[0])
	case len(seeds) >= 5 && consecutive(seeds):
		return fmt.Sprintf("seeds %d to %d", seeds[0], seeds[len(seeds)-1])
	}
	return "seeds " + strings.Trim(fmt.Sprint(seeds), "[]")
}

func consecutive(seeds []uint64) bool {
	for i, seed := range seeds {
		if seed != seeds[0]+uint64(i) {
			return false
		}
	}
	return true
}

// counted is such as "1 image" or "1000 images": quantity.Count without commas, as in captions.
func counted(count int, what string) string {
	return strconv.Itoa(count) + " " + quantity.Noun(count, what)
}

// percent is such as "3%" or "3.2%".
func percent(fraction float64) string {
	text := fmt.Sprintf("%.1f", 100*fraction)
	return strings.TrimSuffix(text, ".0") + "%"
}

// numbersText is such as "0.03 0.1 0.3".
func numbersText(numbers []float64) string { return strings.Trim(fmt.Sprint(numbers), "[]") }

func decimal(value float64) string { return strconv.FormatFloat(value, 'f', 6, 64) }

// csvRow writes values for a CSV file: numbers with a point have six decimals.
func csvRow(values ...any) (row []string) {
	for _, value := range values {
		text := fmt.Sprint(value)
		if number, is := value.(float64); is {
			text = decimal(number)
		}
		row = append(row, text)
	}
	return row
}
