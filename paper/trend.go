package paper

// falls says whether values fall over their course: the last one is below the first, and of all pairs more fall than rise,
// which is a negative rank correlation with time (Kendall's tau). Jitter around a plateau changes neither.
func falls(values []float64) bool {
	balance := 0
	for i, earlier := range values {
		for _, later := range values[i+1:] {
			switch {
			case later < earlier:
				balance--
			case later > earlier:
				balance++
			}
		}
	}
	return balance < 0 && values[len(values)-1] < values[0]
}

// fallingSteps counts the values that are below the one before them.
func fallingSteps(values []float64) (count int) {
	for i := range values[1:] {
		if values[i+1] < values[i] {
			count++
		}
	}
	return count
}
