import { describe, expect, it } from '@jest/globals';
import { PartTracker } from '../../../../subgraphs/ledger/formats/values/part-tracker.js';
import type { Part } from '../../../../subgraphs/ledger/formats/values/positions.js';

const USUAL = { element: '*', component: ':', repetition: '^', segment: '~' };
const PLAIN = 'CLM*C1*100***11:B:1~HI*ABK:E119^ABF:I10~';

/** The part of a whole text that arrives in windows of this many bytes. */
function partIn(text: string, delimiters: typeof USUAL, windowBytes: number): Part {
  const whole = Buffer.from(text, 'latin1');
  const tracker = new PartTracker();
  tracker.open(0, delimiters);
  let base = 0;
  for (; base + windowBytes < whole.length; base += windowBytes) {
    tracker.roll(base + windowBytes, { bytes: whole.subarray(base, base + windowBytes), base });
  }
  return tracker.close(whole.length, { bytes: whole.subarray(base), base });
}

describe('PartTracker', () => {
  const unusual = { element: '|', component: '>', repetition: '!', segment: '\n' };
  it.each<[string, string, typeof USUAL]>([
    ['line ends', PLAIN.replaceAll('~', '~\r\n'), USUAL],
    ['blanks before segments and repeated terminators', ` ${PLAIN.replaceAll('~', '~~  ')}`, USUAL],
    [
      'other delimiters',
      PLAIN.replace(/[*:^~]/g, (one) => ({ '*': '|', ':': '>', '^': '!', '~': '\n' })[one] ?? one),
      unusual,
    ],
    ['the usual delimiters', PLAIN, USUAL],
  ])('hashes a part with %s to the content of its usual form, in any windows', (_, text, delimiters) => {
    const expected = partIn(PLAIN, USUAL, PLAIN.length).sha256;
    for (const windowBytes of [1, 2, 7, 64, 4_096]) {
      const part = partIn(text, delimiters, windowBytes);
      expect(part.contentSha256).toBe(expected);
      expect(part).toMatchObject({ offset: 0, length: Buffer.byteLength(text, 'latin1') });
    }
  });

  it('hashes another content to another hash', () => {
    expect(partIn(PLAIN.replace('100', '101'), USUAL, 16).contentSha256).not.toBe(
      partIn(PLAIN, USUAL, 16).contentSha256,
    );
  });
});
