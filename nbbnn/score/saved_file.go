package score

import (
	"archive/zip"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/npy"
)

// Members of a file of saved predictions.
const (
	infoMember          = "info.json"
	probabilitiesMember = "probabilities.npy"
	logMeansMember      = "log_probabilities.npy"
	logSamplesMember    = "log_samples.npy"
	labelsMember        = "labels.npy"
	indicesMember       = "indices.npy"
)

var members = []string{infoMember, probabilitiesMember, logMeansMember, logSamplesMember,
	labelsMember, indicesMember}

const maxInfoBytes = 1 << 20

// Save replaces the file at path by a prediction with its labels and the places of its images in
// the data set: an .npz file with the members info.json, probabilities, log_probabilities, labels,
// indices and, withSamples, log_samples, from which all metrics can be recomputed. Without it, only
// metrics of the mean can. The folder must exist.
func Save(path string, info SavedInfo, p Prediction, labels []uint8, indices []int,
	withSamples bool) error {
	s, err := newSaved(info, p, labels, indices, withSamples)
	if err != nil {
		return fmt.Errorf("score: %s can't be saved: %s", path,
			strings.TrimPrefix(err.Error(), "score: "))
	}
	if err := files.Write(path, s.writeMembers); err != nil {
		return fmt.Errorf("score: predictions can't be saved: %w: free disk space or choose "+
			"another folder", err)
	}
	return nil
}

// writeMembers writes the members uncompressed, so that readers can map them into memory.
func (s Saved) writeMembers(w io.Writer) error {
	z := zip.NewWriter(w)
	err := cmp.Or(
		member(z, infoMember, func(w io.Writer) error {
			return json.NewEncoder(w).Encode(s.SavedInfo)
		}),
		arrayMember(z, probabilitiesMember, s.Probabilities, s.Images, s.Classes),
		arrayMember(z, logMeansMember, s.LogMeans, s.Images, s.Classes),
		arrayMember(z, labelsMember, wider(s.Labels), s.Images),
		arrayMember(z, indicesMember, wider(s.Indices), s.Images),
	)
	if s.LogSamples != nil {
		err = cmp.Or(err, arrayMember(z, logSamplesMember, s.LogSamples, s.Images, s.Samples,
			s.Classes))
	}
	return cmp.Or(err, z.Close())
}

func member(z *zip.Writer, name string, write func(io.Writer) error) error {
	w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Store})
	if err != nil {
		return err
	}
	return write(w)
}

func arrayMember[T npy.Number](z *zip.Writer, name string, values []T, shape ...int) error {
	return member(z, name, func(w io.Writer) error {
		return npy.Write(w, npy.Array[T]{Shape: shape, Values: values})
	})
}

func wider[T uint8 | int](values []T) []int64 {
	wide := make([]int64, len(values))
	for i, value := range values {
		wide[i] = int64(value)
	}
	return wide
}

// ReadSaved reads predictions that were saved. A file that doesn't exist is an error that wraps
// fs.ErrNotExist. It checks the shapes; package zip compares every member with its checksum.
func ReadSaved(path string) (s Saved, err error) {
	err = inSaved(path, func(z *zip.Reader) error {
		info, withSamples, err := readInfo(z)
		if err != nil {
			return err
		}
		s.SavedInfo = info
		var labels, indices []int64
		err = cmp.Or(
			readArray(z, probabilitiesMember, &s.Probabilities, info.Images, info.Classes),
			readArray(z, logMeansMember, &s.LogMeans, info.Images, info.Classes),
			readArray(z, labelsMember, &labels, info.Images),
			readArray(z, indicesMember, &indices, info.Images),
		)
		if withSamples {
			err = cmp.Or(err, readArray(z, logSamplesMember, &s.LogSamples, info.Images,
				info.Samples, info.Classes))
		}
		for i := range min(len(labels), len(indices)) {
			if labels[i] < 0 || labels[i] >= int64(info.Classes) {
				return fmt.Errorf("label %d in %d classes", labels[i], info.Classes)
			}
			s.Labels, s.Indices = append(s.Labels, uint8(labels[i])),
				append(s.Indices, int(indices[i]))
		}
		return cmp.Or(err, s.check())
	})
	return s, err
}

// inSaved opens a file of saved predictions and explains what is wrong with it.
func inSaved(path string, read func(*zip.Reader) error) error {
	z, err := zip.OpenReader(path)
	if err == nil {
		defer z.Close()
		err = read(&z.Reader)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return err
	case err != nil:
		return fmt.Errorf("score: %s holds no saved predictions: %w: choose another folder "+
			"(`nbbnn evaluate RUN --save FOLDER`), or remove it", path, err)
	}
	return nil
}

// readInfo reads the member info.json.
func readInfo(z *zip.Reader) (info SavedInfo, withSamples bool, err error) {
	file, err := z.Open(infoMember)
	if err != nil {
		return info, false, fmt.Errorf("it lacks %s", infoMember)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxInfoBytes))
	if err == nil {
		err = files.ParseJSON(data, &info)
	}
	if err != nil {
		return info, false, fmt.Errorf("%s: %w", infoMember, err)
	}
	if info.Version != savedVersion {
		return info, false, fmt.Errorf("format version %d instead of %d", info.Version,
			savedVersion)
	}
	for _, file := range z.File {
		if !slices.Contains(members, file.Name) {
			return info, false, fmt.Errorf("it has an unknown member %q", file.Name)
		}
		withSamples = withSamples || file.Name == logSamplesMember
	}
	return info, withSamples, nil
}

// readArray reads a member of the given shape to its end, where archive/zip checks its checksum.
func readArray[T npy.Number](z *zip.Reader, name string, values *[]T, shape ...int) error {
	file, err := z.Open(name)
	if err != nil {
		return fmt.Errorf("it lacks %s", name)
	}
	defer file.Close()
	array, err := npy.ReadShape[T](file, shape...)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if rest, err := io.Copy(io.Discard, file); err != nil || rest > 0 {
		return fmt.Errorf("%s: %d bytes after its last element (%v)", name, rest, err)
	}
	*values = array.Values
	return nil
}
