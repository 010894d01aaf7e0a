import { crc32, deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createCanvas, type Image, loadImage } from '@napi-rs/canvas';
import type { Http } from '../../support/http.js';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { uploadScanned } from '../vault-kit.js';
import { applied, draft, type People, peopleOf } from './redaction-kit.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
}, 180_000);
afterAll(() => service.stop());
const people = () => peopleOf(service.operator);

type Colour = readonly [number, number, number];
const BLACK: Colour = [0, 0, 0];
const RED: Colour = [255, 0, 0];
const WHITE: Colour = [255, 255, 255];
const [WIDTH, HEIGHT] = [64, 32];

/** A white picture with a red square of 16 pixels in its upper left corner. */
function picture() {
  const canvas = createCanvas(WIDTH, HEIGHT);
  const context = canvas.getContext('2d');
  context.fillStyle = '#ffffff';
  context.fillRect(0, 0, WIDTH, HEIGHT);
  context.fillStyle = '#ff0000';
  context.fillRect(0, 0, 16, 16);
  return canvas;
}

/** An Exif block that names an orientation. */
const exif = (orientation: number): Buffer =>
  Buffer.concat([
    Buffer.from('MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0', 'latin1'),
    Buffer.of(orientation, 0, 0, 0, 0, 0, 0),
  ]);

/** A JPEG with metadata. */
function jpeg(orientation = 1): Buffer {
  const file = picture().toBuffer('image/jpeg', 95);
  const body = Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), exif(orientation), Buffer.from('secret place')]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(body.length + 2);
  return Buffer.concat([file.subarray(0, 2), Buffer.of(0xff, 0xe1), length, body, file.subarray(2)]);
}

function chunk(kind: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(kind, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** A PNG with more chunks behind its header. */
function png(...more: readonly Buffer[]): Buffer {
  const file = picture().toBuffer('image/png');
  return Buffer.concat([file.subarray(0, 33), ...more, file.subarray(33)]);
}

/** A PNG with a header that asks for a canvas of 10 billion pixels. */
function hugePng(): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(100_000, 0);
  header.writeUInt32BE(100_000, 4);
  header.set([1, 0], 8);
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1');
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync('')),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function stored(http: Http, bytes: Uint8Array, type: string): Promise<string> {
  const made = await uploadScanned(http, { bytes, filename: 'scan', type });
  return made.json.document_id;
}

const pixelsOf = (image: Image) => {
  const context = createCanvas(image.width, image.height).getContext('2d');
  context.drawImage(image, 0, 0);
  return (x: number, y: number): readonly number[] => [...context.getImageData(x, y, 1, 1).data].slice(0, 3);
};

async function readBy(http: Http, id: string) {
  const answer = await fetch(`${http.url}/v1/documents/${id}`, { headers: { 'x-api-key': http.key ?? '' } });
  const bytes = Buffer.from(await answer.arrayBuffer());
  return { bytes, type: answer.headers.get('content-type'), colour: pixelsOf(await loadImage(bytes)) };
}

const near = (colour: readonly number[], wanted: Colour): boolean =>
  wanted.every((value, i) => Math.abs(value - (colour[i] ?? -1)) <= 12);

const refused = async (all: People, id: string, body: object = {}) => {
  const answer = await applied(all, { subject: { kind: 'DOCUMENT', id }, pages: [{ page: 1 }], ...body });
  return [answer.status, answer.json.code];
};

describe('a redacted image', () => {
  it.each([
    { type: 'image/png', made: () => png(chunk('tEXt', Buffer.from('Comment\0secret place'))), inner: 3 },
    // A JPEG shares colour between neighbours: the visible red reaches into the first pixels of the region.
    { type: 'image/jpeg', made: () => jpeg(), inner: 8 },
  ])('$type is black in its regions, has no metadata, and is whole for readers with the scope', async (format) => {
    const { type, made, inner } = format;
    const all = await people();
    const original = made();
    const id = await stored(all.clerk, original, type);
    const regions = [
      { x: 3.5, y: 3.5, width: 12, height: 12 },
      { x: 40, y: 16, width: 500, height: 500 },
    ];
    const done = await applied(all, { subject: { kind: 'DOCUMENT', id }, pages: [{ page: 1, regions }] });
    expect([done.status, done.json.status]).toEqual([200, 'APPLIED']);
    const read = await readBy(all.reader, id);
    expect(read.type).toBe(type);
    expect(read.bytes.includes('secret')).toBe(false);
    const { colour } = read;
    const places: readonly (readonly [number, number, Colour])[] = [
      [1, 1, RED],
      [inner, inner, BLACK],
      [15, 15, BLACK],
      [41, 17, BLACK],
      [63, 31, BLACK],
      [30, 8, WHITE],
    ];
    expect(places.map(([x, y, wanted]) => near(colour(x, y), wanted))).toEqual(places.map(() => true));
    const whole = await readBy(all.trusted, id);
    expect(whole.bytes.equals(original)).toBe(true);
  });

  it('hides the region as displayed when the Exif orientation turns a JPEG', async () => {
    const all = await people();
    // Orientation 6 shows the file turned by a quarter, so the red square is at the upper right.
    const id = await stored(all.clerk, jpeg(6), 'image/jpeg');
    const regions = [{ x: HEIGHT - 16, y: 0, width: 16, height: 16 }];
    await applied(all, { subject: { kind: 'DOCUMENT', id }, pages: [{ page: 1, regions }] });
    const { colour } = await readBy(all.reader, id);
    expect([near(colour(HEIGHT - 8, 8), BLACK), near(colour(4, 40), WHITE)]).toEqual([true, true]);
  });

  it('is black everywhere for a whole page', async () => {
    const all = await people();
    const id = await stored(all.clerk, png(), 'image/png');
    await applied(all, { subject: { kind: 'DOCUMENT', id }, pages: [{ page: 1 }] });
    const { colour } = await readBy(all.reader, id);
    expect([colour(0, 0), colour(WIDTH - 1, HEIGHT - 1)]).toEqual([BLACK, BLACK]);
  });

  it('is rejected for terms, other pages, and regions outside the picture', async () => {
    const all = await people();
    const id = await stored(all.clerk, png(), 'image/png');
    const subject = { kind: 'DOCUMENT', id };
    expect(await draft(all.clerk, { subject, terms: ['Jane'] })).toMatchObject({
      status: 400,
      json: { errors: [{ path: '/terms', code: 'subject' }] },
    });
    const pages = [{ page: 1, regions: [{ x: WIDTH, y: 0, width: 5, height: 5 }] }, { page: 2 }];
    const answer = await applied(all, { subject, pages });
    expect(answer).toMatchObject({ status: 400, json: { errors: [{ path: '/pages/0' }, { path: '/pages/1' }] } });
  });

  it('is refused for cut files, other formats, too many pixels, and a turned PNG, and hides nothing then', async () => {
    const all = await people();
    const files: readonly (readonly [string, Buffer])[] = [
      ['image/png', png().subarray(0, 120)],
      ['image/jpeg', jpeg().subarray(0, 400)],
      ['image/png', hugePng()],
      ['image/png', png(chunk('eXIf', exif(6)))],
    ];
    for (const [type, bytes] of files) {
      const id = await stored(all.clerk, bytes, type);
      expect([type, bytes.length, ...(await refused(all, id))]).toEqual([type, bytes.length, 409, 'CONFLICT']);
      const metadata = (await all.reader.get(`/v1/documents/${id}/metadata`)).json;
      expect(metadata.redacted).toBe(false);
    }
  });

  it('is made of a PNG with an upright Exif orientation', async () => {
    const all = await people();
    const id = await stored(all.clerk, png(chunk('eXIf', exif(1))), 'image/png');
    expect(await refused(all, id)).toEqual([200, undefined]);
  });
});
