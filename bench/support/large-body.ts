import { Readable } from 'node:stream';
import { syntheticTransaction } from '../formats/x12-fixture.js';
import { residentKb, restPeak } from './resident.js';
import type { Stack } from './stack.js';

const INTERCHANGE_STARTS = 'ISA*';
/** Cut of the broken interchange, as a share of it, and the segment that it cuts: in the middle of a claim. */
const CUT_AT = 0.613;
const CUT_SEGMENT = '\nSV1*HC:';

/** Result of a large 837. */
export interface LargeAnswer {
  readonly bytes: number;
  readonly seconds: number;
  /** Claims sent whole, without the claims that the broken tail cuts or omits. */
  readonly claimsSent: number;
  readonly accepted: number;
  readonly rejected: number;
  readonly duplicated: number;
  /** Growth of the service's peak resident memory. */
  readonly growthMegabytes: number;
}

/** An 837 that repeats an interchange with new control numbers and ends inside a claim. */
class LargeBody {
  bytes = 0;
  claims = 0;
  readonly #first: number;
  readonly #size: number;

  /** @param first control number of the first interchange */
  constructor(first: number, size: number) {
    this.#first = first;
    this.#size = size;
  }

  *read(): Generator<Buffer> {
    let control = this.#first;
    for (; this.bytes < this.#size; control += 1) {
      const { text, claims } = syntheticTransaction(control, '837');
      this.claims += claims;
      yield this.#counted(text);
    }
    const { text } = syntheticTransaction(control, '837');
    const cut = text.slice(0, text.lastIndexOf(CUT_SEGMENT, text.length * CUT_AT) + CUT_SEGMENT.length);
    // Counts in the text: every claim before another claim is whole.
    this.claims += cut.split('\nCLM*').length - 2;
    yield this.#counted(cut);
  }

  #counted(text: string): Buffer {
    if (!text.startsWith(INTERCHANGE_STARTS)) throw new Error('the fixture does not begin an interchange');
    const chunk = Buffer.from(text, 'latin1');
    this.bytes += chunk.length;
    return chunk;
  }
}

/** Sends an 837 of about this size with a broken tail, and measures the service's memory during the upload. */
export async function postLargeBody(
  stack: Pick<Stack, 'rest' | 'processes'>,
  { first, megabytes }: { readonly first: number; readonly megabytes: number },
): Promise<LargeAnswer> {
  const pid = stack.processes['service'] ?? 0;
  const body = new LargeBody(first, megabytes * 1_000_000);
  const before = await restPeak(pid);
  const beganMs = performance.now();
  const path = '/v1/ingest/raw?source_system=large';
  const text = await stack.rest.post(path, Readable.from(body.read(), { objectMode: false }), 'application/edi-x12');
  const seconds = (performance.now() - beganMs) / 1_000;
  const { accepted, rejected, duplicated } = JSON.parse(text) as Pick<
    LargeAnswer,
    'accepted' | 'rejected' | 'duplicated'
  >;
  const growthMegabytes = ((await residentKb(pid, 'VmHWM')) - before) / 1_024;
  return { bytes: body.bytes, seconds, claimsSent: body.claims, accepted, rejected, duplicated, growthMegabytes };
}
