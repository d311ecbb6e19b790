package nearest

import "testing"

func TestName(t *testing.T) {
	known := []string{"fog", "snow", "frost", "gaussian_noise", "gaussian_blur", "learning-rate"}
	for _, test := range []struct{ got, want string }{
		{"fogg", "fog"},
		{"gausian_noise", "gaussian_noise"},
		{"forst", "frost"},
		{"snwo", "snow"},
		{"nsow", "snow"},
		{"completely different", ""},
		{"cat", ""},
		{"slow", "snow"},
		{"slaw", ""},
		{"FOGG", "fog"},
		{"snowfall", "snow"},
		{"gaussian", ""},
		{"gaussian_n", "gaussian_noise"},
		{"f", ""},
		{"lr", "learning-rate"},
	} {
		if name, _ := Name(test.got, known); name != test.want {
			t.Errorf("Name(%q) = %q, want %q", test.got, name, test.want)
		}
	}
	for got, want := range map[string]string{"gif": "", "jpg": "", "jpeg": "",
		"pgn": ` (did you mean "png"?)`} {
		if hint := Hint(got, []string{"png", "pdf", "svg"}); hint != want {
			t.Errorf("Hint of the format %q = %q, want %q", got, hint, want)
		}
	}
	if hint := Hint("fogg", known); hint != ` (did you mean "fog"?)` {
		t.Errorf("Hint = %q", hint)
	}
}
