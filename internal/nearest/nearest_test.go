package nearest

import "testing"

func TestName(t *testing.T) {
	known := []string{"fog", "frost", "gaussian_noise", "gaussian_blur"}
	for _, test := range []struct{ got, want string }{
		{"fogg", "fog"},
		{"gausian_noise", "gaussian_noise"},
		{"forst", "frost"},
		{"completely different", ""},
	} {
		if name, _ := Name(test.got, known); name != test.want {
			t.Errorf("Name(%q) = %q, want %q", test.got, name, test.want)
		}
	}
	if hint := Hint("fogg", known); hint != ` (did you mean "fog"?)` {
		t.Errorf("Hint = %q", hint)
	}
}
