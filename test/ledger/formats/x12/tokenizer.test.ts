import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { DEFAULT_ADAPTER_LIMITS } from '../../../../subgraphs/ledger/formats/format-adapter.js';
import { SegmentTokenizer } from '../../../../subgraphs/ledger/formats/x12/envelope/tokenizer.js';
import { eventsOf, readBody } from './reading.js';

const fixture = (name: string): Buffer => readFileSync(join(process.cwd(), 'test/ledger/formats/x12/fixtures', name));

interface Seen {
  segments: string[];
  faults: string[];
  cut: string | null;
}

/** Feeds the chunks and records the calls to the sink: each segment with its offsets and elements. */
function tokenize(chunks: readonly Buffer[], limits = { segmentBytes: 1024 * 1024, windowBytes: 1 }): Seen {
  const seen: Seen = { segments: [], faults: [], cut: null };
  const tokenizer = new SegmentTokenizer(
    {
      separators: () => undefined,
      segment: (segment) => {
        const elements = Array.from({ length: segment.elementCount }, (_, at) => segment.at(at + 1));
        seen.segments.push([segment.byteOffset, segment.endOffset, segment.id, ...elements].join('|'));
      },
      lastTrailer: () => false,
      interrupted: (cut) => seen.faults.push(`INTERRUPTED ${cut.byteOffset}-${cut.endOffset}`),
      fault: ({ code, byteOffset, endOffset }) => seen.faults.push(`${code} ${byteOffset}-${endOffset}`),
      roll: () => undefined,
      end: (endOffset, cut) => {
        seen.cut = cut === null ? null : `${cut.byteOffset}-${endOffset} ${cut.idStart}`;
      },
    },
    limits,
  );
  for (const chunk of chunks) tokenizer.push(chunk);
  tokenizer.finish();
  return seen;
}

describe('segments do not depend on how the bytes arrive', () => {
  it.each(['professional.837', 'two-interchanges.837', 'odd-separators.837', 'byte-order-mark.837', 'remittance.835'])(
    '%s, in two chunks cut at every byte, gives the same segments',
    (name) => {
      const body = fixture(name);
      const whole = tokenize([body]);
      expect(whole.faults).toEqual([]);
      for (let at = 0; at <= body.length; at += 1)
        expect(tokenize([body.subarray(0, at), body.subarray(at)])).toEqual(whole);
    },
  );

  it('events and part hashes are the same when cut at every byte, and byte by byte', async () => {
    const body = Buffer.concat([fixture('odd-separators.837'), fixture('unbalanced.835')]);
    const limits = { ...DEFAULT_ADAPTER_LIMITS, windowBytes: 1 };
    const whole = await readBody(body);
    for (let at = 1; at < body.length; at += 1) {
      const cut = await readBody([body.subarray(0, at), body.subarray(at)], { limits });
      expect(JSON.stringify(cut) === JSON.stringify(whole) ? null : at).toBeNull();
    }
    const bytes = Array.from({ length: body.length }, (_, at) => body.subarray(at, at + 1));
    expect(await readBody(bytes, { limits })).toEqual(whole);
    expect(await readBody(bytes)).toEqual(whole);
  });
});

describe('offsets and elements', () => {
  it('a segment’s range is its id to its terminator, line ends left out', () => {
    const body = fixture('indented-crlf.837');
    for (const line of tokenize([body]).segments) {
      const [from = '', to = '', id = ''] = line.split('|');
      const text = body.subarray(Number(from), Number(to)).toString();
      expect(text.startsWith(id)).toBe(true);
      expect(text.endsWith('~')).toBe(true);
    }
  });

  it('the bytes after the last terminator are cut, never a segment', () => {
    const body = Buffer.concat([fixture('professional.837'), Buffer.from('ISA*00*')]);
    expect(tokenize([body]).faults).toEqual([`ISA_UNREADABLE ${body.length - 7}-${body.length - 4}`]);
    const cut = fixture('professional.837').subarray(0, -5);
    const seen = tokenize([cut]);
    expect(seen.cut).toMatch(new RegExp(`-${cut.length} IEA$`));
    expect(seen.segments.at(-1)).toMatch(/\|GE\|1\|1$/);
  });

  it('empty segments are ignored; an overlong one is one fault', () => {
    const body = Buffer.from(fixture('professional.837').toString('latin1').replace('~\nBHT', '~~ ~\nBHT'), 'latin1');
    expect(tokenize([body]).segments.length).toBe(tokenize([fixture('professional.837')]).segments.length);
    const long = Buffer.from(
      fixture('professional.837').toString('latin1').replace('SECOND VISIT', 'X'.repeat(900)),
      'latin1',
    );
    expect(tokenize([long], { segmentBytes: 512, windowBytes: 1 }).faults).toEqual([
      expect.stringMatching(/^SEGMENT_TOO_LONG/),
    ]);
  });
});

describe('a body cut anywhere', () => {
  it.each(['professional.837', 'remittance.835', 'two-interchanges.837', 'institutional.837'])(
    '%s, cut at every byte, never throws, and gives only claims of the whole, with their own members',
    async (name) => {
      const body = fixture(name);
      const whole = eventsOf(await readBody(body)).map(identity);
      for (let length = 0; length < body.length; length += 1) {
        const found = eventsOf(await readBody(body.subarray(0, length))).map(identity);
        const same = JSON.stringify(whole.slice(0, found.length)) === JSON.stringify(found);
        expect(same ? null : length).toBeNull();
      }
    },
  );
});

/** What must never differ from the whole body's reading. */
function identity({ envelope }: ReturnType<typeof eventsOf>[number]): unknown[] {
  const { source_record_id, member_id, outcome, event_type, payload } = envelope;
  return [
    source_record_id,
    member_id,
    outcome,
    event_type,
    payload['procedure_codes'],
    payload['carc'],
    payload['amounts'],
  ];
}
