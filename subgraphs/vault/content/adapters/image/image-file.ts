import { crc32 } from 'node:zlib';
import { DocumentFault } from '../processes/messages.js';

/** Size of an image file in pixels, before any rotation that the file asks for. */
interface ImageSize {
  readonly width: number;
  readonly height: number;
}

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');

/**
 * Checks that a PNG is whole, and reads its size. The drawing library fills the lost part of a cut file with nothing.
 *
 * @throws DocumentFault
 */
export function readPng(file: Buffer): ImageSize {
  if (!file.subarray(0, 8).equals(PNG_SIGNATURE)) throw new DocumentFault('UNREADABLE');
  let size: ImageSize | null = null;
  for (let at = 8; at + 12 <= file.length; ) {
    const end = at + 12 + file.readUInt32BE(at);
    if (end > file.length || crc32(file.subarray(at + 4, end - 4)) !== file.readUInt32BE(end - 4)) break;
    const kind = file.toString('latin1', at + 4, at + 8);
    const data = file.subarray(at + 8, end - 4);
    if (kind === 'IHDR' && data.length === 13) size = { width: data.readUInt32BE(0), height: data.readUInt32BE(4) };
    // Viewers differ: some turn the picture, and a region would then hide another part.
    if (kind === 'eXIf' && orientationOf(data) !== 1) throw new DocumentFault('TURNED');
    if (kind === 'IEND' && size !== null) return size;
    at = end;
  }
  throw new DocumentFault('UNREADABLE');
}

const ORIENTATION_TAG = 0x0112;

/** Orientation of an Exif block (TIFF 6.0 with tag 0x0112); 1 without one. */
function orientationOf(tiff: Buffer): number {
  if (tiff.length < 14) return 1;
  const isLittle = tiff.toString('latin1', 0, 2) === 'II';
  const short = (at: number): number =>
    at + 2 > tiff.length ? 0 : isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at);
  const start = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  for (let entry = 0; entry < short(start); entry++) {
    const at = start + 2 + entry * 12;
    if (at + 12 > tiff.length) break;
    if (short(at) === ORIENTATION_TAG) return short(at + 8);
  }
  return 1;
}

const START = 0xd8;
const END = 0xd9;
const SCAN = 0xda;
/** Start-of-frame markers; C4, C8 and CC in their range are others. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
/** Markers without a length: TEM, restarts, start. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= START);

/**
 * Checks that a JPEG reaches its end marker, and reads its size. The drawing library crashes on some cut files.
 *
 * @throws DocumentFault
 */
export function readJpeg(file: Buffer): ImageSize {
  let size: ImageSize | null = null;
  if (file[0] !== 0xff || file[1] !== START) throw new DocumentFault('UNREADABLE');
  for (let at = nextMarker(file, 0); at !== null; at = nextMarker(file, at)) {
    const marker = file[at + 1] ?? 0;
    if (marker === END) break;
    if (isBare(marker)) {
      at += 2;
      continue;
    }
    if (at + 4 > file.length) return cut();
    const end = at + 2 + file.readUInt16BE(at + 2);
    if (end > file.length) return cut();
    if (isFrame(marker) && end - at >= 9) {
      size = { height: file.readUInt16BE(at + 5), width: file.readUInt16BE(at + 7) };
    }
    if (marker === SCAN && size !== null) return file.indexOf(Buffer.of(0xff, END), end) < 0 ? cut() : size;
    at = end;
  }
  return cut();
}

const cut = (): never => {
  throw new DocumentFault('UNREADABLE');
};

/** Place of the next marker: 0xFF, any number of fill bytes, and a code that is neither 0 nor 0xFF. */
function nextMarker(file: Buffer, from: number): number | null {
  for (let at = file.indexOf(0xff, from); at >= 0; at = file.indexOf(0xff, at + 1)) {
    const code = file[at + 1] ?? 0;
    if (code !== 0 && code !== 0xff) return at;
  }
  return null;
}
