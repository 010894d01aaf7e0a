import type { Commitments } from '../hashing/commitments.js';
import { COMMIT_FAULT, FIELDS_FAULT, HEADER_FAULT, IDENTITY_FAULT, LINE_FAULT, NOT_CANONICAL } from '../platform.js';
import type { CheckName } from '../report.js';
import { ByteHeap, type Span } from '../text/byte-heap.js';
import { fromUtf8 } from '../text/bytes.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';
import { readLedgerRow } from './ledger-row.js';
import { RecordJudge } from './record-judge.js';

const BATCH_RECORDS = 1000;
const BATCH_BYTES = 2 ** 20;
const LF = 0x0a;
/** Limit of batches in worker threads: bounds the memory and keeps the workers busy. */
const MAX_UNDER_WAY = 8;

type Fault = readonly [bit: number, check: CheckName, code: string, detail: string];

const FAULTS: readonly Fault[] = [
  [LINE_FAULT, 'events', 'EVENT_HASH', 'the line has another hash than the manifest says'],
  [HEADER_FAULT, 'chain', 'ENTRY_HASH_MISMATCH', 'the hash does not follow from the header'],
  [NOT_CANONICAL, 'events', 'RECORD_NOT_CANONICAL', 'the record is not in the form of RFC 8785'],
  [COMMIT_FAULT, 'events', 'COMMIT_MISMATCH', 'the record and its seed do not make the committed hash'],
  [FIELDS_FAULT, 'events', 'FIELDS_MISMATCH', 'the fields of the record and its seed do not make the committed hash'],
  [IDENTITY_FAULT, 'events', 'IDENTITY_MISMATCH', 'the record says another event, source or tenant than its header'],
];

/** Compares fully disclosed records with their chain's commitments, in batches. */
export class RecordBatches {
  #lines = new ByteHeap(0);
  #rows = new ByteHeap(0);
  #hashes = new ByteHeap(0);
  #count = 0;
  readonly #underWay = new Set<Promise<void>>();
  readonly #judge: RecordJudge;
  judged = 0;

  constructor(private readonly context: BundleContext) {
    this.#judge = new RecordJudge(context.platform);
  }

  get commitments(): Commitments {
    return this.#judge.commitments;
  }

  /**
   * @param line valid UTF-8 line of events.jsonl
   * @param row valid row of ledger.tsv with a seed
   * @param sha256 the manifest's hash of the line, in hex
   * @returns a promise if the caller must wait
   */
  add(line: Span, row: Span, sha256: Span): Promise<void> | undefined {
    this.#lines.put(line.bytes, line.start, line.end);
    this.#lines.putByte(LF);
    this.#rows.put(row.bytes, row.start, row.end);
    this.#rows.putByte(LF);
    this.#hashes.put(sha256.bytes, sha256.start, sha256.end);
    return ++this.#count < BATCH_RECORDS && this.#lines.length < BATCH_BYTES ? undefined : this.#send();
  }

  async end(): Promise<void> {
    await this.#send();
    await Promise.all(this.#underWay);
  }

  async #send(): Promise<void> {
    if (this.#count === 0) return;
    const { platform, manifest } = this.context;
    const rows = this.#rows.bytes;
    const batch = { lines: this.#lines.bytes, rows, hashes: this.#hashes.bytes, tenantId: manifest.head.tenant_id };
    if (platform.records === undefined) {
      this.#tell(rows, this.#judge.judge(batch));
      this.#clear();
      return;
    }
    const work: Promise<void> = platform.records.judge({ ...batch, rows: new Uint8Array(rows) }).then((faults) => {
      this.#underWay.delete(work);
      this.#tell(rows, faults);
    });
    this.#underWay.add(work);
    // The judge owns the buffers that were sent.
    const another = ({ length }: ByteHeap): ByteHeap => new ByteHeap(length + (length >> 3));
    [this.#lines, this.#rows, this.#hashes] = [another(this.#lines), another(this.#rows), another(this.#hashes)];
    this.#count = 0;
    if (this.#underWay.size >= MAX_UNDER_WAY) await Promise.race(this.#underWay);
  }

  #clear(): void {
    for (const heap of [this.#lines, this.#rows, this.#hashes]) heap.clear();
    this.#count = 0;
  }

  /** @param rows rows of the records; they name the event in a finding */
  #tell(rows: Uint8Array, faults: Uint8Array): void {
    this.judged += faults.length;
    if (faults.every((bits) => bits === 0)) return;
    const texts = (fromUtf8(rows) ?? '').split('\n');
    faults.forEach((bits, i) => {
      if (bits === 0) return;
      const subject = printable(readLedgerRow(texts[i] ?? '')?.event_id ?? '');
      for (const [bit, check, code, detail] of FAULTS) {
        if ((bits & bit) !== 0) this.context.findings.broken(check, code, subject, detail);
      }
    });
  }
}
