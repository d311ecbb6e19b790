"""Writes CIFAR in its official binary layout from the packed pixels: data.py SET PARTS DATA."""

import pathlib
import subprocess
import sys


def unpack(parts, *names):
    """The pixels of several files, unpacked side by side: each takes one core for most of a minute."""
    targets = [parts / f'{name}.raw' for name in names]
    programs = [subprocess.Popen([parts / 'ciz', 'd', parts / f'{name}.ciz', target]) for name, target in zip(names, targets)]
    if any([program.wait() for program in programs]):
        sys.exit('data.py: a part can\'t be unpacked: bring the data set again')
    pixels = b''.join(target.read_bytes() for target in targets)
    for target in targets:
        target.unlink()
    return pixels


def write(path, first, count, label_bytes, labels, pixels):
    """Writes images first, first+1, ... as records of labels and 3,072 bytes of pixels."""
    with open(path, 'wb') as file:
        for i in range(first, first + count):
            file.write(labels[i * label_bytes:(i + 1) * label_bytes] + pixels[i * 3072:(i + 1) * 3072])


def cifar10(parts, data):
    folder = data / 'cifar-10-batches-bin'
    folder.mkdir(parents=True, exist_ok=True)
    pixels = unpack(parts, 'c10_train123', 'c10_train45', 'c10_test')
    labels = (parts / 'c10_labels.u8').read_bytes()
    for batch in range(6):
        name = 'test_batch.bin' if batch == 5 else f'data_batch_{batch + 1}.bin'
        write(folder / name, 10000 * batch, 10000, 1, labels, pixels)
    (folder / 'batches.meta.txt').write_bytes((parts / 'cifar10_batches.meta.txt').read_bytes())


def cifar100(parts, data):
    folder = data / 'cifar-100-binary'
    folder.mkdir(parents=True, exist_ok=True)
    pixels, labels = unpack(parts, 'c100'), (parts / 'c100_labels_coarse_fine.u8').read_bytes()
    write(folder / 'train.bin', 0, 50000, 2, labels, pixels)
    write(folder / 'test.bin', 50000, 10000, 2, labels, pixels)
    for name in ('fine_label_names.txt', 'coarse_label_names.txt'):
        (folder / name).write_bytes((parts / name).read_bytes())


if __name__ == '__main__':
    {'cifar10': cifar10, 'cifar100': cifar100}[sys.argv[1]](pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3]))
