import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formDigest, readDocumentForm } from '../../rest-facade/streams/document-form.js';
import { attachment } from '../../rest-facade/streams/filename.js';
import { cleanFilename } from '../../shared/files/clean-filename.js';
import { formOf } from '../vault/vault-kit.js';

/** A store that commits as the write-once store does: at the end of the bytes. */
function fakeStore() {
  const committed: string[] = [];
  const store = async (bytes: AsyncIterable<Buffer>) => {
    const hash = createHash('sha256');
    let sizeBytes = 0;
    for await (const piece of bytes) {
      hash.update(piece);
      sizeBytes += piece.length;
    }
    const sha256 = hash.digest('hex');
    committed.push(sha256);
    return { sha256, sizeBytes, created: true };
  };
  return { committed, store };
}

const contentOf = (type: string, pieces: readonly Buffer[]) => ({
  contentType: type,
  contentLengthBytes: undefined,
  isGzip: false,
  stream: Readable.from(pieces, { objectMode: true }),
});

/** Cut into pieces of these lengths, in turn. */
function cut(body: Buffer, lengths: readonly number[]): Buffer[] {
  const pieces: Buffer[] = [];
  for (let at = 0, n = 0; at < body.length; n++) {
    const length = lengths[n % lengths.length] ?? 1;
    pieces.push(body.subarray(at, at + length));
    at += length;
  }
  return pieces;
}

describe('a multipart form', () => {
  it('is parsed alike for every split into chunks, order of parts and content', async () => {
    const bytes = fc.uint8Array({ minLength: 1, maxLength: 400 }).map((array) => Buffer.from(array));
    const lengths = fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(bytes, lengths, fc.constantFrom('before', 'behind'), async (file, sizes, order) => {
        const form = formOf(
          { bytes: file, filename: 'a.bin', type: 'x/y' },
          { title: 'T', tags: ['a', '["b","c"]'] },
          order,
        );
        const { committed, store } = fakeStore();
        const content = contentOf(form.headers['content-type'], cut(form.body, sizes));
        const read = await readDocumentForm(content, store, () => undefined);
        expect(read).toMatchObject({
          filename: 'a.bin',
          mediaType: 'x/y',
          fields: { title: 'T', tags: ['a', 'b', 'c'] },
        });
        expect(committed).toEqual([createHash('sha256').update(file).digest('hex')]);
      }),
      { numRuns: 200, seed: 20260302 },
    );
  });

  it('stores nothing when it is truncated anywhere', async () => {
    const form = formOf({ bytes: Buffer.from('content') }, { title: 'T' }, 'behind');
    // The last two bytes are a line end that no form needs.
    for (let length = 0; length < form.body.length - 2; length++) {
      const { committed, store } = fakeStore();
      const content = contentOf(form.headers['content-type'], [form.body.subarray(0, length)]);
      await expect(readDocumentForm(content, store, () => undefined)).rejects.toMatchObject({ code: 'MALFORMED_BODY' });
      expect(committed).toEqual([]);
    }
  });

  it('stores nothing when a part after the file is rejected', async () => {
    for (const fields of [{ colour: 'red' }, { title: ['a', 'b'] }, { tags: '["a"' }]) {
      const form = formOf({ bytes: Buffer.from('content') }, fields as never, 'behind');
      const { committed, store } = fakeStore();
      const content = contentOf(form.headers['content-type'], [form.body]);
      const read = readDocumentForm(content, store, () => undefined);
      await expect(read).rejects.toMatchObject({ code: 'VALIDATION_ERROR' });
      expect(committed).toEqual([]);
    }
  });

  it('stores nothing when its check fails', async () => {
    const form = formOf({ bytes: Buffer.from('content') });
    const { committed, store } = fakeStore();
    const read = readDocumentForm(contentOf(form.headers['content-type'], [form.body]), store, () => {
      throw new Error('unfit');
    });
    await expect(read).rejects.toThrow('unfit');
    expect(committed).toEqual([]);
  });

  it('is compared by its content, not by its boundary', async () => {
    const digests: string[] = [];
    for (const [bytes, title] of [
      ['x', 'T'],
      ['x', 'T'],
      ['y', 'T'],
      ['x', 'U'],
    ] as const) {
      const form = formOf({ bytes: Buffer.from(bytes) }, { title });
      const content = contentOf(form.headers['content-type'], [form.body]);
      digests.push(formDigest(await readDocumentForm(content, fakeStore().store, () => undefined)));
    }
    expect(digests[0]).toBe(digests[1]);
    expect(new Set(digests).size).toBe(3);
  });
});

describe('a file name', () => {
  it('is never a path, empty or too long, and cleaning it again changes nothing', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (sent) => {
        const name = cleanFilename(sent);
        expect(name).not.toMatch(/[\\/:\p{Cc}]/u);
        expect(name).not.toMatch(/^\.|^$/);
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(201);
        expect(cleanFilename(name)).toBe(name);
        expect(attachment(name)).toMatch(/^attachment; filename="[ -~]*"(; filename\*=UTF-8''[!-~]+)?$/);
      }),
      { numRuns: 500, seed: 20260302 },
    );
  });
});
