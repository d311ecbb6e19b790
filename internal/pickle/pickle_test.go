package pickle_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/nbbnn/workbench/internal/pickle"
	"github.com/nbbnn/workbench/internal/testkit"
)

// The files of testdata hold made-up images in the form that Python 2 gave the official files;
// Python's own reader gave back what was put into them.
func read(t testing.TB, name string) []byte {
	t.Helper()
	return testkit.Must(os.ReadFile(filepath.Join("testdata", name)))(t)
}

// open reads a file of testdata as a dictionary.
func open(t *testing.T, name string) pickle.Dictionary {
	t.Helper()
	value := testkit.Must(pickle.Read(read(t, name)))(t)
	dictionary, ok := value.(pickle.Dictionary)
	if !ok {
		t.Fatalf("%s holds a %T, want a dictionary", name, value)
	}
	return dictionary
}

// checkImages compares an array with the images that were put into the files.
func checkImages(t *testing.T, array *pickle.Array, count int) {
	t.Helper()
	if !slices.Equal(array.Shape, []int{count, 3072}) {
		t.Fatalf("shape is %v, want [%d 3072]", array.Shape, count)
	}
	for i, want := range imagePixels(count) {
		if got := array.Values[i]; got != want {
			t.Fatalf("value %d is %d, want %d", i, got, want)
		}
	}
}

func TestReadCIFAR10(t *testing.T) {
	for _, name := range []string{"cifar10_protocol1.pickle", "cifar10_protocol2.pickle"} {
		batch := open(t, name)
		images := testkit.Must(batch.Array("data"))(t)
		checkImages(t, images, 3)
		if labels, err := batch.Integers("labels"); err != nil || !slices.Equal(labels, []int{3, 0, 9}) {
			t.Errorf("%s: labels are %v, %v, want 3 0 9", name, labels, err)
		}
	}
}

func TestReadCIFAR100(t *testing.T) {
	batch := open(t, "cifar100.pickle")
	images := testkit.Must(batch.Array("data"))(t)
	checkImages(t, images, 1)
	if labels, err := batch.Integers("fine_labels"); err != nil || !slices.Equal(labels, []int{99}) {
		t.Errorf("labels are %v, %v, want 99", labels, err)
	}
}

func TestDictionaryRefuses(t *testing.T) {
	batch := open(t, "cifar10_protocol2.pickle")
	for _, test := range []struct {
		name string
		err  error
		want string
	}{
		{"no array", second(batch.Array("labels")), `no array is called "labels"`},
		{"no list", second(batch.Integers("data")), `no list is called "data"`},
		{"no numbers", second(batch.Integers("filenames")), "isn't a number"},
	} {
		if test.err == nil || !strings.Contains(test.err.Error(), test.want) {
			t.Errorf("%s: error %v, want one with %q", test.name, test.err, test.want)
		}
	}
}

func second[T any](_ T, err error) error { return err }

// hostile are pickles that no reader should follow.
var hostile = []struct{ name, pickle, want string }{
	{"nothing", "", "ends early"},
	{"no end", "\x80\x02}", "ends early"},
	{"no pickle", "<html>", "isn't one that the CIFAR files have"},
	{"a command", "cos\nsystem\n(S'true'\ntR.", "asks for os.system"},
	{"a command of protocol 4", "\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00\x8c\x02os", "isn't one that the CIFAR files have"},
	{"eval", "c__builtin__\neval\n(S'1'\ntR.", "asks for __builtin__.eval"},
	{"NumPy from elsewhere", "cnumpy.evil\n_reconstruct\n.", "asks for numpy.evil._reconstruct"},
	{"an instance", "(ios\nsystem\n", "isn't one that the CIFAR files have"},
	{"a call of what is no function", "}(tR.", "a call that CIFAR files don't have"},
	{"a call without arguments", "R", "a value is missing"},
	{"a long string", "T\xff\xff\xff\xffabc", "a string of 4294967295 bytes"},
	{"an array of objects", "cnumpy\ndtype\n(U\x02O8K\x00K\x01tR.", `an array of elements "O8"`},
	{"an array longer than its bytes", array("K\x02", "M\xff\xff", "\x89"), "with 4 bytes"},
	{"an array whose length overflows", array("J\xff\xff\xff\x7f", "J\xff\xff\xff\x7f", "\x89"), "with 4 bytes"},
	{"an array of negative length", array("J\xff\xff\xff\xff", "K\x04", "\x89"), "with 4 bytes"},
	{"an array in Fortran order", array("K\x02", "K\x02", "\x88"), "Fortran order"},
	{"an array whose shape is a tuple of 2^40 tuples", array(doubled(40), "K\x02", "\x89"), "shape doesn't go with 4 bytes"},
	{"an array whose shape is a deep tuple", array(")"+strings.Repeat("\x85", 1<<20), "K\x02", "\x89"), "shape doesn't go with 4 bytes"},
	{"an array of nine dimensions", "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01(" + strings.Repeat("K\x01", 9) +
		"tcnumpy\ndtype\nU\x02u1K\x00K\x01\x87R\x89U\x01atb.", "9 dimensions"},
	{"a long key repeated", "X\x00\x02\x00\x00" + strings.Repeat("k", 512) + "q\x00" + strings.Repeat("}h\x00K\x01s", 9), "or is a long one"},
	{"too many values", strings.Repeat("N", 1<<22+1), "more than 4194304 values"},
	{"a mark that is missing", "t.", "a mark is missing"},
	{"a key without a value", "}(U\x01au.", "a key without a value"},
	{"a key that is a number", "}K\x01K\x02s.", "a key that isn't a string"},
	{"something put into a number", "K\x01K\x02a.", "neither a list nor a dictionary"},
	{"a value that was never put aside", "h\x05.", "value 5 was never put aside"},
	{"an escape", "S'\\x41'\n.", "isn't one that the CIFAR files have"},
	{"no number", "Ifive\n.", "is no number"},
	{"bytes behind the end", "K\x01.K", "1 bytes are left"},
	{"two values", "K\x01K\x02.", "2 values"},
	{"building a number", "K\x01(tb.", "something is built"},
	{"a tuple of too many", "K\x01\x87.", "a value is missing"},
}

// doubled is the pickle of a tuple that holds one value twice, which holds one twice, and so on.
func doubled(times int) string {
	return ")q\x090" + strings.Repeat("h\x09h\x09\x86q\x090", times) + "h\x09"
}

// array is the pickle of an array of four bytes with a shape of two numbers.
func array(rows, columns, fortran string) string {
	return "cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85U\x01b\x87R(K\x01" + rows + columns +
		"\x86cnumpy\ndtype\nU\x02u1K\x00K\x01\x87R" + fortran + "U\x04abcdtb."
}

func TestReadRefusesHostilePickles(t *testing.T) {
	for _, test := range hostile {
		_, err := pickle.Read([]byte(test.pickle))
		testkit.Error(t, test.name, err, test.want)
	}
	if value, err := pickle.Read([]byte(array("K\x02", "K\x02", "\x89"))); err != nil || !slices.Equal(value.(*pickle.Array).Shape, []int{2, 2}) {
		t.Errorf("a sound array: %v, %v", value, err)
	}
}

func ExampleRead() {
	value, err := pickle.Read([]byte("\x80\x02}q\x00U\x06labelsq\x01]q\x02(K\x03K\x00es."))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(value.(pickle.Dictionary).Integers("labels"))
	// Output:
	// [3 0] <nil>
}

// pixelMarks replace the pixels of one and of three images in fuzzed files, because the fuzzer
// spends its time on shortening long inputs.
var pixelMarks = []struct {
	mark   []byte
	pixels []byte
}{{[]byte("<3 images>"), imagePixels(3)}, {[]byte("<1 image>"), imagePixels(1)}}

// imagePixels returns the pixels that were put into the files.
func imagePixels(count int) []byte {
	pixels := make([]byte, count*3072)
	for i := range pixels {
		pixels[i] = byte((i*7 + i/3072*11) % 251)
	}
	return pixels
}

const longestSeed = 600

// fuzzSeeds are the files of testdata with marks for their pixels, and short hostile ones.
func fuzzSeeds(t testing.TB) (seeds [][]byte) {
	for _, name := range []string{"cifar10_protocol1.pickle", "cifar10_protocol2.pickle", "cifar100.pickle", "meta_protocol0.pickle"} {
		seed := read(t, name)
		for _, m := range pixelMarks {
			seed = bytes.Replace(seed, m.pixels, m.mark, 1)
		}
		seeds = append(seeds, seed)
	}
	for _, test := range hostile {
		if len(test.pickle) <= longestSeed {
			seeds = append(seeds, []byte(test.pickle))
		}
	}
	return seeds
}

func FuzzRead(f *testing.F) {
	for _, seed := range fuzzSeeds(f) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, m := range pixelMarks {
			data = bytes.Replace(data, m.mark, m.pixels, 1)
		}
		value, err := pickle.Read(data)
		if err != nil {
			return
		}
		if array, ok := value.(*pickle.Array); ok && len(array.Values) > len(data) {
			t.Errorf("%d bytes from %d", len(array.Values), len(data))
		}
	})
}
