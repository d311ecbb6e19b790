package nbbnn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A file of torch.save isn't called damaged, and a damaged safetensors file isn't called PyTorch's.
func TestImportOfAPyTorchFile(t *testing.T) {
	const own = "resnet18.pt is in PyTorch's own format (torch.save), not safetensors: docs/posthoc.md"
	for _, c := range []struct{ name, content, want string }{
		{"a zip", "PK\x03\x04\x00\x00\x08\x08\x00\x00 and more", own},
		{"a pickle", "\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03.", own},
		{"the oldest form, a tar", "sys_info\x00\x00\x00\x00", own},
		{"a safetensors file", "\x80\x02\x00\x00\x00\x00\x00\x00{\"a", "resnet18.pt is damaged"},
		{"an empty file", "", "resnet18.pt is damaged"},
	} {
		path := filepath.Join(t.TempDir(), "resnet18.pt")
		if err := os.WriteFile(path, []byte(c.content), 0o644); err != nil {
			t.Fatal(err)
		}
		_, ordinary := ImportOrdinary(t.Context(), t.TempDir(), ordinaryConfig(), path)
		_, imported := Import(t.Context(), t.TempDir(), ordinaryConfig(), path)
		for _, err := range []error{ordinary, imported} {
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s: error is %v, want %q", c.name, err, c.want)
			}
		}
	}
}
