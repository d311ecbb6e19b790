package command

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/commandline"
	"github.com/nbbnn/workbench/internal/corrupted"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
	"github.com/nbbnn/workbench/internal/quantity"
	"github.com/nbbnn/workbench/nbbnn/score"
	"github.com/nbbnn/workbench/viz"
)

// ranked is a submission for a corrupted set, with its scores.
type ranked struct {
	Place  int         `json:"place"` // 1 + the number of better ones, by their intervals
	Name   string      `json:"name"`
	NLL    float64     `json:"nll"`
	Behind *[2]float64 `json:"nll_behind_first,omitempty"` // 95 % interval over the images
	Error  float64     `json:"error"`

	images []float64 // NLL of each image, the mean over what corrupted it
}

func corruptRankCommand(a *app) *cobra.Command {
	var out string
	command := &cobra.Command{
		Use:   "rank FOLDER ANSWERS.npz...",
		Short: "Rank predictions of any program for a corrupted set, by NLL with ties",
		Long: `Rank what others predict for a set that corrupt make has written to FOLDER, by the
mean NLL. ANSWERS.npz has an array for each file of images, fog for fog.npy: probabilities,
float32 or float64, a row for each image in the file's order. A place is 1 and the number of those
whose NLL is smaller by a 95 % interval, paired over the images, above zero. A probability below
1e-7 counts as 1e-7. A file with a fault is left out; a note and the page name it with the reason.`,
		Example: "  nbbnn corrupt rank secret handed-in/*.npz --out ranking.html",
		RunE: func(_ *cobra.Command, args []string) error {
			if out != "" {
				if err := checkOutFile(ours, "corrupt rank", out, ".html"); err != nil {
					return err
				}
			}
			all, left, err := rank(a, args[0], args[1:])
			if err != nil {
				return commandline.Usage(err)
			}
			return printRanking(a, all, left, out)
		},
	}
	command.Flags().StringVar(&out, "out", "", "HTML page of the table to write; \"\" writes none")
	return command
}

// rank scores the answers for a corrupted set, the best first, and returns the name of each file
// that is left out with the reason.
func rank(a *app, folder string, paths []string) (all []ranked, left [][]string, err error) {
	manifest, err := corrupted.ReadManifest(folder)
	if err != nil {
		return nil, nil, fmt.Errorf("nbbnn corrupt rank: %s: %w: name the folder that `nbbnn "+
			"corrupt make --out` wrote", folder, err)
	}
	labels, err := madeLabels(folder, manifest)
	if err != nil {
		return nil, nil, err
	}
	seen := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".npz")
		if seen[name] {
			return nil, nil, fmt.Errorf("nbbnn corrupt rank: two files are called %s: rename one",
				name)
		}
		seen[name] = true
		answer := ranked{Name: name, images: make([]float64, manifest.Images)}
		if err := cmp.Or(answer.read(path, manifest, labels), answer.unlike(all)); err != nil {
			leaveOut(a, err.Error())
			left = append(left, []string{name, quantity.Printable(plain(err.Error()))})
			continue
		}
		all = append(all, answer)
	}
	if len(all) == 0 {
		return nil, nil, errors.New("nbbnn corrupt rank: no file is left: the notes above say why")
	}
	slices.SortStableFunc(all, func(a, b ranked) int { return cmp.Compare(a.NLL, b.NLL) })
	for i := range all {
		all[i].Place, all[i].Behind = 1, all[i].behind(all[0])
		for _, better := range all[:i] {
			if d := all[i].behind(better); d != nil && d[0] > 0 {
				all[i].Place++
			}
		}
	}
	return all, left, nil
}

// madeLabels reads the labels of a set, and refuses others than it was made with.
func madeLabels(folder string, manifest *corrupted.Manifest) ([]uint8, error) {
	content, err := files.ReadFile(filepath.Join(folder, "labels.npy"))
	if err != nil {
		return nil, err
	}
	made, _ := manifest.File("labels.npy")
	if fmt.Sprintf("%x", sha256.Sum256(content)) != made.SHA256 {
		return nil, fmt.Errorf("nbbnn corrupt rank: the labels of %s were changed: take them from "+
			"a copy, or make the set again", folder)
	}
	labels, err := npy.Read[uint8](bytes.NewReader(content))
	return labels.Values, err
}

// unlike returns an error for answers that another file has, too, if in another precision: a copy
// would take a place twice.
func (r *ranked) unlike(all []ranked) error {
	for _, other := range all {
		if slices.EqualFunc(r.images, other.images, func(a, b float64) bool {
			return math.Abs(a-b) < 1e-3
		}) {
			return fmt.Errorf("%s has the same answers as %s, which is ranked: keep one of the two",
				r.Name, other.Name)
		}
	}
	return nil
}

// read scores a file.
func (r *ranked) read(path string, manifest *corrupted.Manifest, labels []uint8) error {
	if filepath.Ext(path) != ".npz" {
		return fmt.Errorf("%s isn't an .npz file: hand in one, as numpy.savez writes it", path)
	}
	total, known := 0, dataset.Config{Name: manifest.Data}.Size().Classes
	want := cmp.Or(known, int(slices.Max(labels))+1)
	for _, file := range manifest.Files {
		if file.Label == "" { // the labels
			continue
		}
		member := path + "/" + file.Name
		rows, classes, err := probabilities(member)
		if errors.Is(err, fs.ErrNotExist) && npy.IsArchive(path) {
			return fmt.Errorf("%s has no array %s: hand in one for each file of images", path,
				strings.TrimSuffix(file.Name, ".npy"))
		}
		if err != nil {
			return err
		}
		if count := len(rows) / classes; count != len(labels) {
			return fmt.Errorf("%s has %d rows: want %d, one for each image of %s", member, count,
				len(labels), file.Name)
		}
		if classes < want || known > 0 && classes > want {
			return fmt.Errorf("%s has %d columns: want %d, one for each class", member, classes,
				want)
		}
		for i, label := range labels {
			row := rows[i*classes:][:classes]
			sum, best := 0.0, 0
			for class, p := range row {
				if sum += p; p > row[best] {
					best = class
				}
				if !(p >= 0) {
					return fmt.Errorf("%s: row %d has %g: want probabilities", member, i, p)
				}
			}
			if math.Abs(sum-1) > 1e-3 {
				return fmt.Errorf("%s: row %d adds up to %.4g: want probabilities, 1 in all",
					member, i, sum)
			}
			if best != int(label) {
				r.Error++
			}
			r.images[i%manifest.Images] -= math.Log(max(row[label], 1e-7))
			total++
		}
	}
	for i := range r.images {
		r.images[i] /= float64(total / len(r.images))
	}
	r.NLL, r.Error = score.Summarise(r.images).Mean, r.Error/float64(total)
	return nil
}

// probabilities reads an array of float32 or float64, [rows, classes].
func probabilities(path string) (values []float64, classes int, err error) {
	array, err := npy.ReadFile[float64](path)
	wrongType := (*npy.TypeError)(nil)
	if errors.As(err, &wrongType) {
		var narrow npy.Array[float32]
		narrow, err = npy.ReadFile[float32](path)
		array.Shape = narrow.Shape
		for _, value := range narrow.Values {
			array.Values = append(array.Values, float64(value))
		}
	}
	if errors.As(err, &wrongType) {
		err = fmt.Errorf("%s has elements of type %s: hand in float32 or float64, as "+
			"predictions.astype(\"float32\") gives", path, wrongType.Name())
	}
	if err == nil && (len(array.Shape) != 2 || array.Shape[1] < 2) {
		err = fmt.Errorf("%s has the shape %v: want [images, classes]", path, array.Shape)
	}
	if err != nil {
		return nil, 0, err
	}
	return array.Values, array.Shape[1], nil
}

// behind returns the interval of how much larger the NLL is than another's; nil if that is itself
// or has fewer images than an interval needs.
func (r ranked) behind(other ranked) *[2]float64 {
	if r.Name == other.Name {
		return nil
	}
	differences := slices.Clone(r.images)
	for i, nll := range other.images {
		differences[i] -= nll
	}
	return score.Summarise(differences).Interval(0.95)
}

// printRanking prints a table. With a path, it also writes a page that names what was left out.
func printRanking(a *app, all []ranked, left [][]string, out string) error {
	table := viz.Table{Header: []string{"name", "place", "NLL", "behind the first", "error %"},
		Caption: fmt.Sprintf("NLL in nats; behind the first with the 95 %% interval "+
			"over %d images, not over trainings; a place is 1 and the number of those that are "+
			"better by such an interval", len(all[0].images))}
	for _, r := range all {
		behind := quantity.WithInterval(r.NLL-all[0].NLL, r.Behind, func(nll float64) string {
			return quantity.Signed(nll, 3)
		})
		table.Rows = append(table.Rows, []string{r.Name, fmt.Sprint(r.Place),
			fmt.Sprintf("%.3f", r.NLL), behind, fmt.Sprintf("%.1f", 100*r.Error)})
	}
	if out != "" {
		if err := writeRanking(out, table, left); err != nil {
			return fmt.Errorf("nbbnn corrupt rank: %w", err)
		}
	}
	if a.json {
		return a.printJSON(all)
	}
	return a.printTable(table)
}

// rankingHead begins the page of a ranking.
const rankingHead = "<!doctype html>\n<meta charset=\"utf-8\">\n" +
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
	"<title>Ranking</title>\n"

// writeRanking writes a page with a table of places and one of what was left out.
func writeRanking(path string, table viz.Table, left [][]string) error {
	text, err := table.As("html")
	if len(left) > 0 && err == nil {
		var more string
		more, err = viz.Table{Header: []string{"left out", "reason"}, Labels: 2,
			Rows: left}.As("html")
		text += more
	}
	if err = cmp.Or(err, os.MkdirAll(filepath.Dir(path), 0o777)); err != nil {
		return err
	}
	return files.WriteBytes(path, []byte(rankingHead+"<style>td,th{white-space:normal!important}"+
		"td:nth-child(-n+2){overflow-wrap:anywhere}</style>\n"+text))
}
