#!/usr/bin/env python3
"""Compares two screenshots (PNG, 8 bits a channel): blocks of 20 x 20 pixels, their mean brightness in each channel.

usage: picture.py A.png B.png [SHARE]
Exit status 1 if the sizes differ, or if more than SHARE (default 0.05) of the blocks differ by more than 12 of 255 levels. So
fonts may be drawn a little differently, but no curve may be elsewhere.
"""
import struct
import sys
import zlib

BLOCK, LEVELS = 20, 12


def read(path):
    """Width, height and rows of RGB bytes."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:8] != b"\x89PNG\r\n\x1a\n":
        sys.exit("%s: not a PNG" % path)
    at, pixels = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", data[at + 8:at + 21])
        elif kind == b"IDAT":
            pixels += data[at + 8:at + 8 + size]
        at += size + 12
    channels = {2: 3, 6: 4}.get(colour)
    if depth != 8 or interlaced or not channels:
        sys.exit("%s: not a plain RGB or RGBA picture of 8 bits" % path)
    raw, stride, rows, before = zlib.decompress(pixels), width * channels, [], bytearray(width * channels)
    for y in range(height):
        kind, line = raw[y * (stride + 1)], bytearray(raw[y * (stride + 1) + 1:(y + 1) * (stride + 1)])
        for i in range(stride):
            a = line[i - channels] if i >= channels else 0
            b, c = before[i], before[i - channels] if i >= channels else 0
            if kind == 1:
                add = a
            elif kind == 2:
                add = b
            elif kind == 3:
                add = (a + b) // 2
            elif kind == 4:
                p = a + b - c
                near = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))
                add = near[2]
            else:
                break
            line[i] = (line[i] + add) & 255
        rows.append(line)
        before = line
    return width, height, channels, rows


def blocks(path):
    width, height, channels, rows = read(path)
    out = []
    for y in range(0, height - BLOCK + 1, BLOCK):
        for x in range(0, width - BLOCK + 1, BLOCK):
            for c in range(3):
                first, last = x * channels + c, (x + BLOCK) * channels
                out.append(sum(sum(rows[r][first:last:channels]) for r in range(y, y + BLOCK)) / BLOCK**2)
    return (width, height), out


def main():
    (size_a, a), (size_b, b) = blocks(sys.argv[1]), blocks(sys.argv[2])
    most = float(sys.argv[3]) if len(sys.argv) > 3 else 0.05
    if size_a != size_b:
        print("%s is %d x %d, %s is %d x %d" % ((sys.argv[1],) + size_a + (sys.argv[2],) + size_b))
        return 1
    share = sum(any(abs(a[i + c] - b[i + c]) > LEVELS for c in range(3)) for i in range(0, len(a), 3)) / (len(a) // 3)
    print("%.1f %% of the blocks differ, at most %.1f %% may" % (100 * share, 100 * most))
    return 1 if share > most else 0


if __name__ == "__main__":
    sys.exit(main())
