package dataset

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
