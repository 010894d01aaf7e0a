import { describe, expect, it } from '@jest/globals';
import { fromEbcdic } from '../../rest-facade/streams/ebcdic.js';
import { ebcdic } from '../support/ebcdic.js';

const ISA =
  'ISA*00*          *00*          *ZZ*SENDER         *ZZ*RECEIVER       *260302*1411*^*00501*000000001*0*P*:~';
const text = `${ISA}\nGS*HC*A*B*20260302*1411*1*X*005010X222A1~[n]|&!$)(;-/,%_>?#@'="<+.abcxyzJKLSTU~`;

async function read(body: Buffer, size = body.length): Promise<{ text: string; page: string | undefined }> {
  let page: string | undefined;
  async function* chunks(): AsyncGenerator<Buffer> {
    for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size);
  }
  const out: Buffer[] = [];
  const found = (one: string): void => {
    page = one;
  };
  for await (const chunk of fromEbcdic(chunks(), found)) out.push(chunk);
  return { text: Buffer.concat(out).toString('latin1'), page };
}

describe('X12 in EBCDIC', () => {
  it.each(['cp037', 'cp1047'] as const)('is converted byte for byte from %s, in chunks of any size', async (page) => {
    const body = ebcdic(text, page);
    expect(body.length).toBe(text.length);
    for (const size of [1, 7, 82, 1000]) expect(await read(body, size)).toEqual({ text, page });
  });

  it('is recognised by its ISA: other bodies, short ones and empty ones pass unchanged', async () => {
    for (const other of [text, 'MSH|^~\\&|', 'IS', '']) {
      expect(await read(Buffer.from(other, 'latin1'), 5)).toEqual({ text: other, page: undefined });
    }
    const cut = ebcdic('ISA*00', 'cp037');
    expect(await read(cut)).toEqual({ text: 'ISA*00', page: 'cp037' });
  });

  it('keeps every byte apart, line ends excepted', async () => {
    const every = Buffer.concat([ebcdic(ISA, 'cp037'), Buffer.from(Array.from({ length: 256 }, (_, at) => at))]);
    const { text: converted } = await read(every);
    expect(new Set(converted.slice(ISA.length)).size).toBe(255);
  });
});
