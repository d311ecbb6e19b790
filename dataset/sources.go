package dataset

// sources lists the data sets that can be downloaded. Sizes and checksums are from CORRUPT.md B and
// E, torchvision, TensorFlow Datasets and Keras, and left out if none of them gives one.
var sources = []Source{
	{
		Name: "cifar10", Title: "CIFAR-10, binary version", Page: krizPage,
		Folder: "cifar-10-batches-bin",
		Archives: []Archive{{
			Name: "cifar-10-binary.tar.gz", Addresses: kriz("cifar-10-binary.tar.gz"),
			Size:   170_052_171,
			MD5:    "c32a1d4ab5d03f1284b67883e8d87530",
			SHA256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
		}},
		Members: []Member{
			{Path: "data_batch_1.bin"}, {Path: "data_batch_2.bin"}, {Path: "data_batch_3.bin"},
			{Path: "data_batch_4.bin"},
			{Path: "data_batch_5.bin"}, {Path: "test_batch.bin"},
		},
	},
	{
		Name: "cifar10-python", Title: "CIFAR-10, Python version", Page: krizPage,
		Folder: "cifar-10-batches-py",
		Archives: []Archive{{
			Name: "cifar-10-python.tar.gz", Addresses: kriz("cifar-10-python.tar.gz"),
			Size:   170_498_071,
			MD5:    "c58f30108f718f92721af3b95e74349a",
			SHA256: "6d958be074577803d12ecdefd02955f39262c83c16fe9348329d7fe0b5c001ce",
		}},
		Members: []Member{
			{"data_batch_1", "c99cafc152244af753f735de768cd75f"},
			{"data_batch_2", "d4bba439e000b95fd0a9bffe97cbabec"},
			{"data_batch_3", "54ebc095f3ab1f0389bbae665268c751"},
			{"data_batch_4", "634d18415352ddfa80567beed471001a"},
			{"data_batch_5", "482c414d41f54cd18b22e5b47cb7c3cb"},
			{"test_batch", "40351d587109b95175f43aff81a1287e"},
		},
	},
	{
		Name: "cifar100", Title: "CIFAR-100, binary version", Page: krizPage,
		Folder: "cifar-100-binary",
		Archives: []Archive{{
			Name: "cifar-100-binary.tar.gz", Addresses: kriz("cifar-100-binary.tar.gz"),
			Size:   168_513_733,
			MD5:    "03b5dce01913d631647c71ecec9e9cb8",
			SHA256: "58a81ae192c23a4be8b1804d68e518ed807d710a4eb253b1f2a199162a40d8ec",
		}},
		Members: []Member{{"train.bin", "6172c7755cfe09b2fe270c85cebc1b15"},
			{"test.bin", "4499cfba6c016c1be1438163640a0898"}},
	},
	{
		Name: "cifar100-python", Title: "CIFAR-100, Python version", Page: krizPage,
		Folder: "cifar-100-python",
		Archives: []Archive{{
			Name: "cifar-100-python.tar.gz", Addresses: kriz("cifar-100-python.tar.gz"),
			Size:   169_001_437,
			MD5:    "eb9058c3a382ffc7106e4002c42a8d85",
			SHA256: "85cd44d02ba6437773c5bbd22e183051d648de2e7d6b014e1ef29b855ba677a7",
		}},
		Members: []Member{
			{"train", "16019d7e3df5f24257cddd939b257f8d"},
			{"test", "f0ef6b0ae62326f3e7ffdfab6717acfc"},
			{"meta", "7973b15100ade9c7d40fb424638fde48"},
		},
	},
	{
		Name: "tinyimagenet", Title: "Tiny ImageNet", Page: "http://cs231n.stanford.edu",
		Folder: "tiny-imagenet-200",
		Archives: []Archive{{
			Name: "tiny-imagenet-200.zip", Size: 248_100_043,
			Addresses: []string{
				"http://cs231n.stanford.edu/tiny-imagenet-200.zip",
				"https://zenodo.org/records/10720917/files/tiny-imagenet-200.zip",
			},
			MD5:    "90528d7ca1a48142e341f4ef8d21d0de",
			SHA256: "6198c8ae015e2b3e007c7841da39ec069199b9aa3bfa943a462022fe5e43c821",
		}},
		Members: []Member{{Path: "wnids.txt"}, {Path: "words.txt"}, {Path: "train"},
			{Path: "val/images"}, {Path: "val/val_annotations.txt"}},
		Note: "Its official test images have no labels; what is tested on is its validation " +
			"set, as in the paper.",
	},
	{
		Name: "cifar10-c", Title: "CIFAR-10-C", Page: "https://zenodo.org/records/2535967",
		Folder: "CIFAR-10-C",
		Archives: []Archive{{
			Name:      "CIFAR-10-C.tar",
			Addresses: []string{"https://zenodo.org/records/2535967/files/CIFAR-10-C.tar"},
			Size:      2_918_471_680,
			MD5:       "56bf5dcef84df0e2308c6dcbcbbd8499",
			SHA256:    "c72763e101c723b7c507b96205f7e938912a5d587376173b825850cf3cb876a7",
		}},
		Members: cifar10CMembers,
	},
	{
		Name: "cifar100-c", Title: "CIFAR-100-C", Page: "https://zenodo.org/records/3555552",
		Folder: "CIFAR-100-C",
		Archives: []Archive{{
			Name:      "CIFAR-100-C.tar",
			Addresses: []string{"https://zenodo.org/records/3555552/files/CIFAR-100-C.tar"},
			Size:      2_918_473_216,
			MD5:       "11f0ed0f1191edbf9fa23466ae6021d3",
		}},
		Members: cifar100CMembers,
	},
	{
		Name: "tinyimagenet-c", Title: "Tiny-ImageNet-C, 15 corruptions, repaired", Page: tinyCPage,
		Folder: tinyCFolder,
		Archives: []Archive{{
			Name:      "Tiny-ImageNet-C.tar",
			Addresses: []string{tinyCPage + "/files/Tiny-ImageNet-C.tar"}, Size: 1_794_775_040,
			MD5: "f9c9a9dbdc11469f0b850190f7ad8be1",
		}},
		Members: folders("gaussian_noise", "shot_noise", "impulse_noise", "defocus_blur",
			"glass_blur", "motion_blur", "zoom_blur",
			"snow", "frost", "fog", "brightness", "contrast", "elastic_transform", "pixelate",
			"jpeg_compression"),
		Note: "The original at Zenodo (2536630) has 1,000 classes in its folder frost; this is " +
			"the copy in which that is repaired. " +
			"Its pictures differ from Tiny ImageNet's, so nothing clean corresponds to them.",
	},
	{
		Name: "tinyimagenet-c-extra", Title: "Tiny-ImageNet-C, the other 4 corruptions",
		Page: tinyCPage, Folder: tinyCFolder + tinyCExtra,
		Archives: []Archive{{
			Name:      "Tiny-ImageNet-C-extra.tar",
			Addresses: []string{tinyCPage + "/files/Tiny-ImageNet-C-extra.tar"},
			MD5:       "0db0588d243cf403ef93449ec52b70eb",
		}},
		Members: folders("speckle_noise", "gaussian_blur", "spatter", "saturate"),
		Note:    "Its size was not published. OpenCorrupted reads it together with tinyimagenet-c.",
	},
	{
		Name: "frost", Title: "Textures of the corruption frost",
		Page: "https://github.com/hendrycks/robustness", Folder: "frost",
		Archives: frostTextures,
		Members:  membersOf(frostTextures),
		Note: "The reference's repository is under Apache-2.0, but these pictures name no " +
			"author and no licence.",
	},
}

// Pages and folders that several entries share.
const (
	krizPage    = "https://www.cs.toronto.edu/~kriz/cifar.html"
	tinyCPage   = "https://zenodo.org/records/8206060"
	tinyCFolder = "Tiny-ImageNet-C"
	tinyCExtra  = "-extra"
)

// kriz are the addresses of a file of the authors of CIFAR.
func kriz(name string) []string {
	return []string{"https://www.cs.toronto.edu/~kriz/" + name,
		"https://cave.cs.toronto.edu/kriz/" + name}
}

// frostTextures are files in the reference's repository, at its newest commit.
var frostTextures = []Archive{
	frostTexture("frost1.png", 1_199_930, "6ead634ace1f366d77e87078b465863c"),
	frostTexture("frost2.png", 299_002, "98f0d2b1d74a048d3bc9c7ecfd886939"),
	frostTexture("frost3.png", 299_002, "b3ed8eb147824261888e730f916c0d8b"),
	frostTexture("frost4.jpg", 36_734, "d70b9d6aa0b1fe7bd8133b113787e078"),
	frostTexture("frost5.jpg", 155_150, "50984ae2c871b7df2c28f1d71ca460a0"),
}

func frostTexture(name string, size int64, md5 string) Archive {
	const folder = "https://raw.githubusercontent.com/hendrycks/robustness/8190fe329f5f072a06e3a2aea02bb5dda69aed9f/ImageNet-C/imagenet_c/imagenet_c/frost/"
	return Archive{Name: name, Addresses: []string{folder + name}, Size: size, MD5: md5}
}

// membersOf are files that are downloaded one by one.
func membersOf(files []Archive) (members []Member) {
	for _, file := range files {
		members = append(members, Member{file.Name, file.MD5})
	}
	return members
}

func folders(names ...string) []Member {
	members := make([]Member, len(names))
	for i, name := range names {
		members[i].Path = name
	}
	return members
}

// cifar10CMembers are the files of CIFAR-10-C with their MD5 sums (CORRUPT.md B).
var cifar10CMembers = []Member{
	{"brightness.npy", "0a81ef75e0b523c3383219c330a85d48"},
	{"contrast.npy", "3c8262171c51307f916c30a3308235a8"},
	{"defocus_blur.npy", "7d1322666342a0702b1957e92f6254bc"},
	{"elastic_transform.npy", "9421657c6cd452429cf6ce96cc412b5f"},
	{"fog.npy", "7b397314b5670f825465fbcd1f6e9ccd"},
	{"frost.npy", "31f6ab3bce1d9934abfb0cc13656f141"},
	{"gaussian_blur.npy", "c33370155bc9b055fb4a89113d3c559d"},
	{"gaussian_noise.npy", "ecaf8b9a2399ffeda7680934c33405fd"},
	{"glass_blur.npy", "7361fb4019269e02dbf6925f083e8629"},
	{"impulse_noise.npy", "2090e01c83519ec51427e65116af6b1a"},
	{"jpeg_compression.npy", "2b9cc4c864e0193bb64db8d7728f8187"},
	{"motion_blur.npy", "fffa5f852ff7ad299cfe8a7643f090f4"},
	{"pixelate.npy", "0f14f7e2db14288304e1de10df16832f"},
	{"saturate.npy", "1cfae0964219c5102abbb883e538cc56"},
	{"shot_noise.npy", "3a7239bb118894f013d9bf1984be7f11"},
	{"snow.npy", "bb238de8555123da9c282dea23bd6e55"},
	{"spatter.npy", "8a5a3903a7f8f65b59501a6093b4311e"},
	{"speckle_noise.npy", "ef00b87611792b00df09c0b0237a1e30"},
	{"zoom_blur.npy", "6ea8e63f1c5cdee1517533840641641b"},
	{"labels.npy", "c439b113295ed5254878798ffe28fd54"},
}

// cifar100CMembers are the files of CIFAR-100-C with their MD5 sums (CORRUPT.md B).
var cifar100CMembers = []Member{
	{"brightness.npy", "f22d7195aecd6abb541e27fca230c171"},
	{"contrast.npy", "322bb385f1d05154ee197ca16535f71e"},
	{"defocus_blur.npy", "d923e3d9c585a27f0956e2f2ad832564"},
	{"elastic_transform.npy", "a0792bd6581f6810878be71acedfc65a"},
	{"fog.npy", "4efc7ebd5e82b028bdbe13048e3ea564"},
	{"frost.npy", "3a39c6823bdfaa0bf8b12fe7004b8117"},
	{"gaussian_blur.npy", "5204ba0d557839772ef5a4196a052c3e"},
	{"gaussian_noise.npy", "ecc4d366eac432bdf25c024086f5e97d"},
	{"glass_blur.npy", "0bf384f38e5ccbf8dd479d9059b913e1"},
	{"impulse_noise.npy", "3b3c210ddfa0b5cb918ff4537a429fef"},
	{"jpeg_compression.npy", "c851b7f1324e1d2ffddeb76920576d11"},
	{"motion_blur.npy", "732a7e2e54152ff97c742d4c388c5516"},
	{"pixelate.npy", "96c00c60f144539e14cffb02ddbd0640"},
	{"saturate.npy", "c0697e9fdd646916a61e9c312c77bf6b"},
	{"shot_noise.npy", "b0a1fa6e1e465a747c1b204b1914048a"},
	{"snow.npy", "0237be164583af146b7b144e73b43465"},
	{"spatter.npy", "12ccf41d62564d36e1f6a6ada5022728"},
	{"speckle_noise.npy", "e3f215b1a0f9fd9fd6f0d1cf94a7ce99"},
	{"zoom_blur.npy", "0204613400c034a81c4830d5df81cb82"},
	{"labels.npy", "bb4026e9ce52996b95f439544568cdb2"},
}
