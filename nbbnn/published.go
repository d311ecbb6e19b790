package nbbnn

import "slices"

// publication is what the paper and its code say of one network: METHOD.md 1.2 for its shape, section 4 for its training.
type publication struct {
	name          string
	width         int     // channels of the first layers
	initStd       float64 // centre of the initial standard deviations, and the prior's
	epochs, batch int
	rate          float64 // of theta and of phi at the start
	build         func(network Network, classes int) architecture
}

// publications are the networks in the order of METHOD.md 1.2. All-CNN-C has two initial standard deviations, 0.16 and 0.32.
// They're looked up through a function, because building a network looks up its width.
func publications() []publication {
	return []publication{
		{"allcnnc", 96, 0.32, 90, 128, 0.05, allCNNC},
		{"vgg16", 64, 0.30, 300, 128, 0.05, vgg16},
		{"resnet18", 64, 0.40, 300, 128, 0.10, resNet18},
		{"preactresnet18", 64, 0.30, 150, 256, 0.10, preActResNet18},
	}
}

// Networks lists the names of the networks.
func Networks() []string {
	var names []string
	for _, p := range publications() {
		names = append(names, p.name)
	}
	return names
}

// publicationOf finds a network by its name; an unknown one has the zero publication.
func publicationOf(name string) publication {
	all := publications()
	if i := slices.IndexFunc(all, func(p publication) bool { return p.name == name }); i >= 0 {
		return all[i]
	}
	return publication{}
}
