#!/usr/bin/env python3
"""Bytes that no user-space tool writes: labels of other systems, superblocks that need the kernel,
and tables that are damaged on purpose.

usage: hand.py COMMAND IMAGE [NUMBER|WORD...]     (hand.py help: the commands)

Numbers are decimal or 0x...; sectors are 512 bytes unless the command says otherwise.
"""
import binascii
import os
import random
import struct
import sys

SECTOR = 512
COMMANDS = {}


def command(function):
    COMMANDS[function.__name__.replace('_', '-')] = function
    return function


def number(word):
    return int(word, 0)


def sum_words(data, fmt):
    return sum(word for word, in struct.iter_unpack(fmt, data))


@command
def solaris(image, start):
    """START: an x86 VTOC in the slice at sector START (sys/dklabel.h, struct dk_label)"""
    start = number(start)
    # tag, flag, start within the slice, sectors; slice 2 is by custom the whole of it
    slices = {0: (2, 0, 16065, 200000), 1: (3, 1, 216065, 64260), 2: (5, 0, 0, 433755),
              4: (8, 0, 280325, 100000), 8: (1, 1, 0, 16065)}
    label = bytearray(SECTOR)
    struct.pack_into('<II8sHH', label, 12, 0x600DDEEE, 1, b'sample', SECTOR, 16)
    for index, entry in slices.items():
        struct.pack_into('<HHII', label, 72 + 12 * index, *entry)
    struct.pack_into('<H', label, 508, 0xDABE)
    check = 0
    for word, in struct.iter_unpack('<H', label[:510]):
        check ^= word
    struct.pack_into('<H', label, 510, check)
    write(image, (start + 1) * SECTOR, label)


@command
def minix(image, start, *entries):
    """START {SLICESTART SECTORS}...: Minix subpartitions (absolute starts) in the slice at START"""
    start = number(start)
    for slot in range(len(entries) // 2):
        mbr_entry(image, start, slot + 1, 0x81, entries[2 * slot], entries[2 * slot + 1])


@command
def unixware(image, start, *entries):
    """START {SLICESTART SECTORS}...: a UnixWare VTOC (absolute starts), 29 sectors into the slice

    Offsets as in Linux, block/partitions/msdos.c, struct unixware_disklabel."""
    label = bytearray(SECTOR)
    struct.pack_into('<I', label, 4, 0xCA5E600D)          # d_magic
    struct.pack_into('<I', label, 8, 1)                   # d_version
    struct.pack_into('<II', label, 156, 0x600DDEEE, 1)    # v_magic, v_version
    base = 156 + 4 + 4 + 8 + 2 + 2 + 40
    struct.pack_into('<H', label, base - 44, 1 + len(entries) // 2)
    struct.pack_into('<HHII', label, base, 5, 0x200, number(start), 400000)  # slice 0: the whole
    for slot in range(len(entries) // 2):
        struct.pack_into('<HHII', label, base + 12 * (slot + 1), 2, 0x200,
                         number(entries[2 * slot]), number(entries[2 * slot + 1]))
    write(image, (number(start) + 29) * SECTOR, label)


@command
def zfs(image):
    """the four labels of a vdev, as far as a prober looks: an array of uberblocks in each"""
    size = os.path.getsize(image)
    for label in (0, 256 << 10, size - (512 << 10), size - (256 << 10)):
        for slot in range(128):
            write(image, label + (128 << 10) + 1024 * slot,
                  struct.pack('<QQQQQ', 0x00BAB10C, 5000, 100 + slot, 0, 1700000000))


@command
def md12(image, start, sectors, data_offset):
    """START SECTORS DATA_OFFSET: an md 1.2 superblock (linux/raid/md_p.h), one of one RAID 1"""
    start, sectors, data_offset = number(start), number(sectors), number(data_offset)
    roles = 128
    block = bytearray(256 + 2 * roles)
    struct.pack_into('<II', block, 0, 0xA92B4EFC, 1)
    block[16:32] = bytes(range(0x40, 0x50))
    block[32:64] = b'host:sample'.ljust(32, b'\0')
    struct.pack_into('<QIIQII', block, 64, 0, 1, 0, sectors - data_offset, 0, 1)
    struct.pack_into('<QQQ', block, 128, data_offset, sectors - data_offset, 8)
    block[168:184] = bytes(range(0x60, 0x70))
    struct.pack_into('<QQQII', block, 192, 0, 1, 0, 0, roles)
    for role in range(roles):
        struct.pack_into('<H', block, 256 + 2 * role, 0xFFFE if role else 0)
    total = sum_words(block, '<I')
    total = (total & 0xFFFFFFFF) + (total >> 32)
    struct.pack_into('<I', block, 216, (total + (total >> 32)) & 0xFFFFFFFF)
    write(image, start * SECTOR + 4096, block)


@command
def md090(image, start, at, level='1'):
    """START AT [LEVEL]: an md 0.90 superblock (linux/raid/md_p.h), AT sectors into the partition at START;
    its data is all that lies before"""
    words = [0] * 1024
    words[0], words[2], words[5], words[7] = 0xA92B4EFC, 90, 1, number(level)
    words[8], words[9], words[10], words[12:16] = number(at) // 2, 1, 1, (2, 3, 4, 5)
    words[33:36] = 1, 1, 1                                # clean, active, working
    total = sum(words)
    words[38] = (total & 0xFFFFFFFF) + (total >> 32)
    write(image, (number(start) + number(at)) * SECTOR, struct.pack('<1024I', *words))


@command
def mbr_entry(image, sector, slot, kind, start, sectors, unit='512'):
    """SECTOR SLOT TYPE START SECTORS [UNIT]: one entry of the MBR or EBR in SECTOR (of UNIT bytes)"""
    place = number(sector) * number(unit) if isinstance(sector, str) else sector * SECTOR
    kind = number(kind) if isinstance(kind, str) else kind
    start, sectors = number(str(start)), number(str(sectors))
    write(image, place + 446 + 16 * (int(slot) - 1),
          struct.pack('<B3sB3sII', 0, b'\xfe\xff\xff', kind, b'\xfe\xff\xff',
                      start & 0xFFFFFFFF, sectors & 0xFFFFFFFF))
    write(image, place + 510, b'\x55\xaa')


@command
def ebr_chain(image, container, count, *end):
    """CONTAINER COUNT [loop|back|out]: COUNT logicals of 8 sectors, each 8 past its own EBR, 16 apart;
    the last link ends the chain, or points at itself, at the first, or out of the container"""
    container, count = number(container), number(count)
    for index in range(count):
        this = container + 16 * index
        mbr_entry(image, this, 1, 0x83, 8, 8)
        link = 16 * (index + 1)
        if index + 1 == count:
            link = {'loop': 16 * index, 'back': 0, 'out': 0x7FFFFFF0}.get(end[0] if end else '')
        if link is not None:
            mbr_entry(image, this, 2, 5, link, 16)


GPT_FIELDS = {  # UEFI 2.10, table 5-5: offset and form
    'revision': (8, '<I'), 'header-size': (12, '<I'), 'my-lba': (24, '<Q'),
    'alternate-lba': (32, '<Q'), 'first-usable': (40, '<Q'), 'last-usable': (48, '<Q'),
    'entries-lba': (72, '<Q'), 'entry-count': (80, '<I'), 'entry-size': (84, '<I'),
    'entries-crc': (88, '<I'),
}


@command
def gpt_field(image, lba, field, value, *words):
    """LBA FIELD VALUE [UNIT [keep]]: a field of the GPT header at LBA; mends its CRC unless `keep`"""
    unit = number(words[0]) if words else SECTOR
    offset, form = GPT_FIELDS[field]
    place = number(lba) * unit
    header = bytearray(read(image, place, SECTOR))
    struct.pack_into(form, header, offset, number(value))
    if 'keep' not in words:
        seal_gpt_header(header)
    write(image, place, header)


@command
def gpt_entry(image, slot, start, last, name=''):
    """SLOT START LAST [NAME-IN-HEX]: an entry of both arrays (512-byte sectors); mends every CRC"""
    for lba in (1, os.path.getsize(image) // SECTOR - 1):
        header = bytearray(read(image, lba * SECTOR, SECTOR))
        array_lba, = struct.unpack_from('<Q', header, 72)
        count, size = struct.unpack_from('<II', header, 80)
        array = bytearray(read(image, array_lba * SECTOR, count * size))
        at = (number(slot) - 1) * size
        struct.pack_into('<QQ', array, at + 32, number(start), number(last))
        if name:
            array[at + 56:at + 128] = bytes.fromhex(name)[:72].ljust(72, b'\0')
        struct.pack_into('<I', header, 88, binascii.crc32(array))
        seal_gpt_header(header)
        write(image, array_lba * SECTOR, array)
        write(image, lba * SECTOR, header)


def seal_gpt_header(header):
    size, = struct.unpack_from('<I', header, 12)
    struct.pack_into('<I', header, 16, 0)
    struct.pack_into('<I', header, 16, binascii.crc32(header[:size]))


@command
def poke(image, offset, data):
    """OFFSET HEX: bytes at an offset"""
    write(image, number(offset), bytes.fromhex(data))


@command
def noise(directory, first, last):
    """FIRST LAST: IMAGE is a directory that gets N.img for each seed: 1 MiB of random bytes and a size"""
    for seed in range(number(first), number(last) + 1):
        rng = random.Random(seed)
        with open(f'{directory}/{seed}.img', 'wb') as file:
            file.write(bait(bytearray(rng.randbytes(1 << 20)), rng, seed % 6))
            file.truncate(rng.choice((1 << 20, (1 << 20) + 511, 4 << 20, 1 << 30)))


def bait(data, rng, kind):
    """Pure noise is turned away by the first magic number; this gives the decoders one to bite on."""
    if kind >= 1:
        data[510:512] = b'\x55\xaa'
        for slot in range(4):
            data[446 + 16 * slot] = 0x80 * rng.randrange(2)
    if kind == 2:                                   # an EBR chain of noise
        data[450], data[454:458] = 5, struct.pack('<I', rng.randrange(1, 1000))
        for lba in range(1, 2048):
            data[lba * 512 + 510:lba * 512 + 512] = b'\x55\xaa'
            data[lba * 512 + 450], data[lba * 512 + 466] = 0x83, 5
            struct.pack_into('<II', data, lba * 512 + 470, rng.randrange(1500), 99)
    if kind in (3, 4):                              # a GPT header whose own checksum is right
        data[450] = 0xEE
        header = bytearray(data[512:1024])
        header[:16] = b'EFI PART' + struct.pack('<II', 0x10000, 92)
        struct.pack_into('<Q', header, 24, 1)
        if kind == 4:
            struct.pack_into('<QII', header, 72, 2, 128, 128)
            struct.pack_into('<I', header, 88, binascii.crc32(data[1024:1024 + 16384]))
        seal_gpt_header(header)
        data[512:1024] = header
    if kind == 5:                                   # slices with labels of their own
        for slot, system in enumerate((0xA5, 0x82, 0x63, 0x81)):
            at = 446 + 16 * slot
            data[at + 4] = system
            data[at + 8:at + 16] = struct.pack('<II', 8 + 200 * slot, 200)
            place = (8 + 200 * slot) * SECTOR
            data[place + 510:place + 512] = b'\x55\xaa'
            struct.pack_into('<I', data, place + 512, 0x82564557)
            struct.pack_into('<II', data, place + 512 + 12, 0x600DDEEE, 1)
            struct.pack_into('<I', data, place + 29 * 512 + 4, 0xCA5E600D)
            struct.pack_into('<I', data, place + 29 * 512 + 156, 0x600DDEEE)
    return data


def sparse_copy(image, path):
    """what of an image holds data; SEEK_DATA is as fine as the file system's blocks"""
    with open(image, 'rb') as source, open(path, 'wb') as target:
        size = os.path.getsize(image)
        at = 0
        while at < size:
            try:
                at = os.lseek(source.fileno(), at, os.SEEK_DATA)
            except OSError:                             # no data behind it
                break
            end = os.lseek(source.fileno(), at, os.SEEK_HOLE)
            source.seek(at)
            target.seek(at)
            target.write(source.read(end - at))
            at = end
        target.truncate(size)


@command
def gpt_variants(image, directory, *words):
    """DIRECTORY LBA... FIELD=VALUE...: gpt-FIELD-VALUE.img each, the headers at these LBAs changed so"""
    places = [word for word in words if '=' not in word]
    for word in words:
        if '=' in word:
            field, value = word.split('=')
            path = f'{directory}/gpt-{field}-{value}.img'
            sparse_copy(image, path)
            for lba in places:
                gpt_field(path, lba, field, value)


@command
def cut(image, directory, *lengths):
    """DIRECTORY LENGTH...: cut-LENGTH.img: that many bytes from the front"""
    data = read(image, 0, max(map(number, lengths)))
    for length in lengths:
        with open(f'{directory}/cut-{length}.img', 'wb') as file:
            file.write(data[:number(length)])


@command
def scramble(image, directory, count):
    """DIRECTORY COUNT: copies of IMAGE's first 4 MiB, each with a few random bytes where data is"""
    data = read(image, 0, 4 << 20)
    used = [at for at in range(0, len(data), SECTOR) if any(data[at:at + SECTOR])][:64]
    for seed in range(number(count)):
        rng = random.Random(seed)
        changed = bytearray(data)
        for _ in range(rng.randrange(1, 30)):
            at = rng.choice(used) + rng.randrange(SECTOR)
            changed[at] = rng.choice((0, 0xFF, 0x80, rng.randrange(256)))
        changed[510:512] = data[510:512]
        with open(f'{directory}/scrambled-{seed}.img', 'wb') as file:
            file.write(changed)
            file.truncate(os.path.getsize(image))


@command
def help(*_):
    """this list"""
    for name, function in COMMANDS.items():
        print(f'{name:12} {function.__doc__}')


def read(image, offset, size):
    with open(image, 'rb') as file:
        file.seek(offset)
        return file.read(size)


def write(image, offset, data):
    with open(image, 'r+b') as file:
        file.seek(offset)
        file.write(data)


if __name__ == '__main__':
    if len(sys.argv) < 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    COMMANDS[sys.argv[1]](*sys.argv[2:])
