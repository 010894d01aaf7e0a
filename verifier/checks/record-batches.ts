import type { Commitments } from '../hashing/commitments.js';
import {
  COMMIT_FAULT,
  FIELDS_FAULT,
  HEADER_FAULT,
  IDENTITY_FAULT,
  LINE_FAULT,
  NOT_CANONICAL,
  type RecordBatch,
} from '../platform.js';
import type { CheckName } from '../report.js';
import { printable } from './archive.js';
import type { BundleContext } from './context.js';
import { RecordJudge } from './record-judge.js';

const BATCH_RECORDS = 1000;
const BATCH_BYTES = 2 ** 20;
const LF = 0x0a;
/** So many batches are under way elsewhere at most: memory stays bounded, and nobody waits for work. */
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

interface Disclosed {
  /** The line of events.jsonl, known to be UTF-8. */
  readonly line: Uint8Array;
  /** Its row of ledger.tsv, known to have the form and a seed. */
  readonly row: string;
  /** The hash of the line as the manifest says. */
  readonly sha256: string;
  readonly eventId: string;
}

/** Holds fully disclosed records against what their chain committed to, batch by batch. */
export class RecordBatches {
  #batch: Disclosed[] = [];
  #batchBytes = 0;
  readonly #underWay = new Set<Promise<void>>();
  readonly #judge: RecordJudge;
  judged = 0;

  constructor(private readonly context: BundleContext) {
    this.#judge = new RecordJudge(context.platform);
  }

  get commitments(): Commitments {
    return this.#judge.commitments;
  }

  /** @returns a promise where the caller must wait before it goes on. */
  add(record: Disclosed): Promise<void> | undefined {
    this.#batchBytes += record.line.length + 1;
    return this.#batch.push(record) < BATCH_RECORDS && this.#batchBytes < BATCH_BYTES ? undefined : this.#send();
  }

  async end(): Promise<void> {
    await this.#send();
    await Promise.all(this.#underWay);
  }

  async #send(): Promise<void> {
    const records = this.#batch;
    if (records.length === 0) return;
    const batch = this.#packed(records);
    this.#batch = [];
    this.#batchBytes = 0;
    const { platform } = this.context;
    if (platform.records === undefined) return this.#tell(records, this.#judge.judge(batch));
    const work: Promise<void> = platform.records.judge(batch).then((faults) => {
      this.#underWay.delete(work);
      this.#tell(records, faults);
    });
    this.#underWay.add(work);
    if (this.#underWay.size >= MAX_UNDER_WAY) await Promise.race(this.#underWay);
  }

  /** In few pieces, as each costs its own way to another thread. */
  #packed(records: readonly Disclosed[]): RecordBatch {
    const lines = new Uint8Array(this.#batchBytes);
    let rows = '';
    let hashes = '';
    let at = 0;
    for (const { line, row, sha256 } of records) {
      lines.set(line, at);
      at += line.length;
      lines[at++] = LF;
      rows += `${row}\n`;
      hashes += sha256;
    }
    return { lines, rows, hashes, tenantId: this.context.manifest.head.tenant_id };
  }

  #tell(records: readonly Disclosed[], faults: Uint8Array): void {
    this.judged += faults.length;
    faults.forEach((bits, i) => {
      if (bits === 0) return;
      for (const [bit, check, code, detail] of FAULTS) {
        if ((bits & bit) !== 0) this.context.findings.broken(check, code, printable(records[i]?.eventId ?? ''), detail);
      }
    });
  }
}
