import { createCanvas, type Image, loadImage, type SKRSContext2D } from '@napi-rs/canvas';
import type { RedactedPage } from '../../domain.js';
import { DocumentFault } from '../processes/messages.js';
import { readJpeg, readPng } from './image-file.js';

/** A canvas takes four bytes a pixel, twice while it is encoded. */
const MAX_PIXELS = 50_000_000;
const JPEG_QUALITY = 92;

interface ImageRedaction {
  readonly mediaType: 'image/png' | 'image/jpeg';
  readonly bytes: Uint8Array;
  readonly pages: readonly RedactedPage[];
}

/**
 * Makes a new image of the same type, black where something is hidden. Copies no byte of the original: not its
 * metadata, its preview, its later frames, or what follows its end.
 *
 * @throws DocumentFault
 */
export async function redactImage({ mediaType, bytes, pages }: ImageRedaction): Promise<Uint8Array> {
  // The library reads the memory of a buffer in parallel, so it gets its own.
  const file = Buffer.from(bytes);
  const { width, height } = mediaType === 'image/png' ? readPng(file) : readJpeg(file);
  if (width * height > MAX_PIXELS) throw new DocumentFault('TOO_LARGE');
  // The library turns a JPEG as its Exif orientation says, as browsers do.
  const image = await loadImage(file);
  requireInside(image, pages);
  const canvas = createCanvas(image.width, image.height);
  const context = canvas.getContext('2d');
  context.drawImage(image, 0, 0);
  if (mediaType === 'image/jpeg' && !isOpaque(context)) throw new DocumentFault('UNREADABLE');
  context.fillStyle = '#000000';
  const whole = { x: 0, y: 0, width: image.width, height: image.height };
  for (const { x, y, ...size } of pages.flatMap(({ regions }) => regions ?? [whole])) {
    // Whole pixels: a border between two colours would show the hidden one.
    const [left, top] = [Math.floor(x), Math.floor(y)];
    context.fillRect(left, top, Math.ceil(x + size.width) - left, Math.ceil(y + size.height) - top);
  }
  // Synchronous: while another thread encodes, the garbage collector may free the canvas and crash the process.
  return mediaType === 'image/png' ? canvas.toBuffer('image/png') : canvas.toBuffer('image/jpeg', JPEG_QUALITY);
}

/** An image has one page, and its regions must hide something of it. */
function requireInside({ width, height }: Image, pages: readonly RedactedPage[]): void {
  const missing = pages.flatMap(({ page, regions = [] }, i) =>
    page > 1 || regions.some(({ x, y }) => x >= width || y >= height) ? [i] : [],
  );
  if (missing.length > 0) throw new DocumentFault('NOT_FOUND', { terms: [], pages: missing });
}

/** The library draws nothing of a JPEG that it cannot decode; every JPEG is opaque. */
const isOpaque = (context: SKRSContext2D): boolean => context.getImageData(0, 0, 1, 1).data[3] === 255;
