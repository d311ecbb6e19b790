package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
)

// CorruptionSpeeds compares the corruptions with the reference's own code, as
// tools/bench/corruptions writes it.
type CorruptionSpeeds struct {
	Machine string            `json:"machine"`
	Go      string            `json:"go"`
	Peer    string            `json:"peer"`
	Rows    []CorruptionSpeed `json:"rows"`
}

// CorruptionSpeed is one corruption at severity 3, on one core.
type CorruptionSpeed struct {
	Corruption string  `json:"corruption"`
	Size       int     `json:"size"` // side of the square images, in pixels
	Ours       float64 `json:"ours_images_per_second"`
	Reference  float64 `json:"reference_images_per_second"`
	Ratio      float64 `json:"ratio"` // ours over the reference's
}

// ReadCorruptionSpeeds reads what tools/bench/corruptions has written.
func ReadCorruptionSpeeds(path string) (speeds CorruptionSpeeds, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return speeds, fmt.Errorf("bench: %w: give a file that tools/bench/corruptions has written", err)
	}
	if err = json.Unmarshal(data, &speeds); err == nil && len(speeds.Rows) == 0 {
		err = errors.New("no rows")
	}
	if err != nil {
		return speeds, fmt.Errorf("bench: %s holds no speeds of corruptions: %w: tools/bench/corruptions writes such files", path, err)
	}
	return speeds, nil
}

// Document writes the speeds as a section of the page of measurements.
func (s CorruptionSpeeds) Document() string {
	header := []string{"corruption", "pixels", "nbbnn, images/s", "reference, images/s", "times as fast"}
	var rows [][]string
	for _, r := range s.Rows {
		rows = append(rows, []string{r.Corruption, fmt.Sprint(r.Size), fmt.Sprintf("%.0f", r.Ours), fmt.Sprintf("%.0f", r.Reference), fmt.Sprintf("%.1f", r.Ratio)})
	}
	text := fmt.Sprintf("Severity 3, draws included, in alternation with the reference's own code. %s; %s; reference: %s.", s.Machine, s.Go, s.Peer)
	return "\n## Corruptions compared with the reference\n" + table("Images a second on one core", text, header, rows)
}
