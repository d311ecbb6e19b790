package sources

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/testkit"
)

// Every source names what a person needs to get it by hand, or says that it wasn't published.
func TestSourcesAreComplete(t *testing.T) {
	for _, source := range All() {
		if source.Title == "" || source.Page == "" || source.Folder == "" ||
			len(source.Archives) == 0 || len(source.Members) == 0 {
			t.Errorf("%s lacks something: %+v", source.Name, source)
		}
		for _, file := range source.Archives {
			if len(file.MD5) != 32 || len(file.SHA256) != 64 && file.SHA256 != "" ||
				len(file.Addresses) == 0 || file.Size < 0 {
				t.Errorf("%s: %+v isn't complete", source.Name, file)
			}
			if file.Size == 0 && source.Name != "tinyimagenet-c-extra" {
				t.Errorf("%s: the size of %s is missing", source.Name, file.Name)
			}
		}
		if found, err := ByName(source.Name); err != nil || found.Folder != source.Folder {
			t.Errorf("ByName(%q) = %v, %v", source.Name, found.Name, err)
		}
	}
	_, err := ByName("cifar10-cc")
	if err == nil || !strings.Contains(err.Error(), `did you mean "cifar10-c"?`) {
		t.Errorf("error %v, want the nearest name", err)
	}
}

// The version for Python serves where the other isn't.
func TestFolderOfPythonVersion(t *testing.T) {
	directory := t.TempDir()
	if folder, err := Folder("cifar10", directory); err == nil ||
		!strings.Contains(err.Error(), "nbbnn data get cifar10`") {
		t.Errorf("an empty directory has %s (%v)", folder, err)
	}
	batch := filepath.Join(directory, "cifar-10-batches-py", "data_batch_1")
	testkit.NoError(t, os.MkdirAll(filepath.Dir(batch), 0o755))
	testkit.NoError(t, os.WriteFile(batch, nil, 0o644))
	if folder, err := Folder("cifar10", directory); err != nil || folder != filepath.Dir(batch) {
		t.Errorf("got %s (%v), want %s", folder, err, filepath.Dir(batch))
	}
}

// The frost textures of the reference, where the machine has them, are those of the list.
func TestFrostSource(t *testing.T) {
	frost := testkit.Must(ByName("frost"))(t)
	folder := filepath.Join("..", "..", "shared", "data")
	if _, missing := frost.Find(folder); len(missing) > 0 {
		t.Skip("no frost textures here to compare with")
	}
	for _, file := range frost.Archives {
		if info, err := os.Stat(filepath.Join(folder, "frost", file.Name)); err != nil ||
			info.Size() != file.Size {
			t.Errorf("%s: %v, %v, want %d bytes", file.Name, info, err, file.Size)
		}
	}
	if agree, err := frost.Verify(t.Context(), folder); agree != 5 || err != nil {
		t.Errorf("Verify() = %d, %v, want 5", agree, err)
	}
}
