package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/nbbnn/workbench/dataset"
	"github.com/nbbnn/workbench/internal/fields"
	"github.com/nbbnn/workbench/internal/files"
	"github.com/nbbnn/workbench/internal/methods"
	"github.com/nbbnn/workbench/internal/options"
	"github.com/nbbnn/workbench/nbbnn"
	"github.com/nbbnn/workbench/nbbnn/baseline"
)

// configFields are the fields of a configuration in their order.
var configFields = fields.Of(reflect.TypeFor[nbbnn.Config]())

// addConfigFlags adds a flag for each field of a configuration that has one, with the field's value
// as default. The other fields, for example momentum and weight decay, are set in the file of
// --config.
func addConfigFlags(f *pflag.FlagSet, c *nbbnn.Config) {
	for _, field := range configFields {
		if field.Flag == "" {
			continue
		}
		usage := field.Help
		if len(field.Values) == 0 && len(options.Words(field)) > 0 {
			usage += ": " + strings.Join(options.Words(field), ", ")
		}
		addFlag(f, field.In(c).Addr(), field.Flag, usage)
		setGroup(f, groupOf(field), field.Flag)
	}
}

// addFlag adds a flag that sets a pointer's target.
func addFlag(f *pflag.FlagSet, pointer reflect.Value, name, usage string) {
	switch value := pointer.Interface().(type) {
	case *int:
		f.IntVar(value, name, *value, usage)
	case *uint64:
		f.Uint64Var(value, name, *value, usage)
	case *float64:
		f.Float64Var(value, name, *value, usage)
	case *bool:
		f.BoolVar(value, name, *value, usage)
	case *dataset.Normalisation:
		f.Var((*normalisation)(value), name, usage)
	case *nbbnn.LatentScale:
		f.Var((*latentScale)(value), name, usage)
	default: // a named text type
		text := pointer.Convert(reflect.TypeFor[*string]()).Interface().(*string)
		f.StringVar(text, name, *text, usage)
	}
}

type startingPoint struct {
	file, preset string // at most one of them; both "" means the zero configuration
	export       string // exported file whose configuration it is, if it holds one
	tested       bool   // the network is only tested, so its batch needn't be full
	compress     int    // epochs; 0 leaves the schedule
}

// addStartFlags makes the flags that name where the configuration of a training starts from.
func addStartFlags(f *pflag.FlagSet, start *startingPoint) {
	f.StringVar(&start.preset, "preset", "", "configuration that flags override: "+
		"allcnnc-shapes10 for a small start (25 s on two cores), or of the paper "+
		strings.Join(presets[1:], ", "))
	f.StringVar(&start.file, "config", "", "record, directory of a run, or JSON file of a "+
		"configuration, that flags override")
	f.IntVar(&start.compress, "compress", 0, "compress or stretch the schedule of --preset or "+
		"--config to this number of epochs")
	setGroup(f, "Starting point", "preset", "config", "compress")
}

// config returns the starting point for the flags that were given.
func (s startingPoint) config(given *pflag.FlagSet) (config nbbnn.Config, err error) {
	switch {
	case s.file != "" && s.preset != "":
		return config, errors.New("nbbnn train: --config and --preset exclude each other: choose " +
			"one to start from")
	case s.compress != 0 && given.Changed("epochs"):
		return config, errors.New("nbbnn train: --compress and --epochs exclude each other: the " +
			"first sets the epochs and keeps the schedule's shape")
	case s.file != "" && (filepath.Ext(s.file) == files.RecordEnding || holdsRun(s.file)):
		var run *nbbnn.Run
		if run, err = nbbnn.OpenDirectory(s.file); err == nil {
			config = run.Config()
		}
	case s.file != "":
		config, err = nbbnn.ReadConfig(s.file)
	case s.export != "":
		config, _, err = nbbnn.ReadExportedConfig(s.export)
	case s.preset != "":
		config, err = presetByName(s.preset)
	}
	if err != nil {
		return config, err
	}
	config, err = s.compressed(config, withMethod(config, given))
	clearDependent(&config, given)
	return config, err
}

// compressed returns the configuration with the method of a flag, compressed if asked for: the
// cycles of csghmc depend on the epochs before.
func (s startingPoint) compressed(before, config nbbnn.Config) (nbbnn.Config, error) {
	if s.compress == 0 {
		return config, nil
	}
	compressed, err := config.Compress(s.compress)
	if config != before { // another method has the posterior's defaults, not compressed ones
		compressed = compressed.With(compressed.Method)
	}
	return compressed, err
}

// clearDependent clears the fields of a filled configuration that depend on fields replaced by
// flags, so that they are derived again. Flags are set afterwards, so their values stay.
func clearDependent(config *nbbnn.Config, given *pflag.FlagSet) {
	before := config.WithDefaults()
	isReplaced := func(name string) bool {
		at := slices.IndexFunc(configFields, func(f fields.Field) bool { return f.Flag == name })
		// images of the same name may be others
		return given.Changed(name) && (name == "data" || given.Lookup(name).Value.String() !=
			fmt.Sprint(configFields[at].In(&before)))
	}
	for _, field := range configFields {
		if slices.ContainsFunc(field.From, isReplaced) {
			field.In(config).SetZero()
		}
	}
	clearAugmentation(&config.Training, given)
}

// clearAugmentation lets a flag that asks for an augmentation, or for none, replace the other field
// of the configuration. If both flags were given, both are set later, and the check refuses them.
func clearAugmentation(t *nbbnn.Training, given *pflag.FlagSet) {
	if given.Lookup("augmentation").Value.String() != "" {
		t.NoAugmentation = false
	}
	if given.Lookup("no-augmentation").Value.String() == "true" {
		t.Augmentation = ""
	}
}

// readConfig returns the configuration of the starting point with the flags that were given.
func readConfig(start startingPoint, given *pflag.FlagSet) (nbbnn.Config, error) {
	config, err := start.config(given)
	if err != nil {
		return config, err
	}
	if config, err = setFlags(config, given); err != nil {
		return config, err
	}
	if err := checkOwners(config, given); err != nil {
		return config, err
	}
	if start.tested {
		config = fitBatch(config, given)
	}
	return config, config.WithDefaults().Validate()
}

// fitBatch lowers a batch that no flag gives to the number of training images, for a network that
// isn't trained on them.
func fitBatch(config nbbnn.Config, given *pflag.FlagSet) nbbnn.Config {
	filled := config.WithDefaults()
	train := filled.Data.Images().Size().Train - filled.Data.Validation
	if !given.Changed("batch") && train > 0 && train < filled.Training.Batch {
		config.Training.Batch = train
	}
	return config
}

// checkDescribed refuses a file of weights without a configuration, unless flags describe it.
func checkDescribed(command, path string, given *pflag.FlagSet) error {
	_, run, err := nbbnn.ReadExportedConfig(path)
	if err != nil || run != "" || given.Changed("network") && given.Changed("data") {
		return err
	}
	return fmt.Errorf("nbbnn %s: %s doesn't say what it is: give --network, --width and --data, "+
		"and --normalisation if it wasn't trained with the data set's", command, path)
}

// checkOwners refuses flags of options that the configuration's method would ignore, by an
// options.Error.
func checkOwners(config nbbnn.Config, given *pflag.FlagSet) error {
	filled := config.WithDefaults()
	for _, field := range configFields {
		if field.Flag == "" || !given.Changed(field.Flag) {
			continue
		}
		if err := options.Check(field, config, filled.Method,
			filled.Settings()); err != nil {
			return err
		}
	}
	return nil
}

// withMethod returns the configuration for the method of a flag: the published settings of that
// method, unless the configuration has it already.
func withMethod(config nbbnn.Config, given *pflag.FlagSet) nbbnn.Config {
	flag := given.Lookup("method")
	if flag == nil || !flag.Changed {
		return config
	}
	name := baseline.Name(flag.Value.String())
	if filled := config.WithDefaults(); methods.Of(filled.Method, filled.Settings()) == name {
		return config
	}
	return config.With(nbbnn.Method{Name: name})
}

// newConfigFlags returns only the flags of a configuration's fields.
func newConfigFlags(config *nbbnn.Config) *pflag.FlagSet {
	flags := pflag.NewFlagSet("config", pflag.ContinueOnError)
	addConfigFlags(flags, config)
	return flags
}

// flagsAmong returns the flags of a configuration, and sets the given ones among some names.
func flagsAmong(names []string, given *pflag.FlagSet) (flags *pflag.FlagSet, err error) {
	flags = newConfigFlags(new(nbbnn.Config))
	for _, name := range names {
		if flag := given.Lookup(name); flag != nil && flag.Changed && err == nil {
			err = flags.Set(name, flag.Value.String())
		}
	}
	return flags, err
}

// setFlags sets the fields whose flags were given.
func setFlags(config nbbnn.Config, given *pflag.FlagSet) (_ nbbnn.Config, err error) {
	flags := newConfigFlags(&config)
	given.Visit(func(flag *pflag.Flag) {
		if flags.Lookup(flag.Name) != nil && err == nil {
			err = flags.Set(flag.Name, flag.Value.String())
		}
	})
	return config, err
}

// normalisation is the value of the flag --normalisation.
type normalisation dataset.Normalisation

// The normalisations that have a name: torchvision's and timm's for ImageNet, Inception's and
// CLIP's, unchanged pixels from 0 to 1, and pixels from 0 to 255.
var normalisations = map[string]normalisation{
	"imagenet":  {Mean: [3]float64{0.485, 0.456, 0.406}, Std: [3]float64{0.229, 0.224, 0.225}},
	"inception": {Mean: [3]float64{0.5, 0.5, 0.5}, Std: [3]float64{0.5, 0.5, 0.5}},
	"clip": {Mean: [3]float64{0.48145466, 0.4578275, 0.40821073},
		Std: [3]float64{0.26862954, 0.26130258, 0.27577711}},
	"none":  {Std: [3]float64{1, 1, 1}},
	"bytes": {Std: [3]float64{1. / 255, 1. / 255, 1. / 255}},
}

// Type names the value in the help text.
func (n *normalisation) Type() string { return "MEANS/STDS" }

// String returns the text that Set reads, "" for the data set's own normalisation.
func (n *normalisation) String() string {
	if *n == (normalisation{}) {
		return ""
	}
	return dataset.Normalisation(*n).String()
}

// Set reads a name, or three means and three standard deviations.
func (n *normalisation) Set(text string) error {
	if named, known := normalisations[text]; known || text == "" {
		*n = named
		return nil
	}
	const numbers = "%g,%g,%g/%g,%g,%g;"
	m, d := &n.Mean, &n.Std
	if _, err := fmt.Sscanf(text+";", numbers, &m[0], &m[1], &m[2], &d[0], &d[1],
		&d[2]); err != nil || *d == [3]float64{} {
		return fmt.Errorf("%q isn't three means and three standard deviations: write "+
			"0.4914,0.4822,0.4465/0.2470,0.2435,0.2616, or imagenet, inception, clip, none or "+
			"bytes", text)
	}
	return nil
}
