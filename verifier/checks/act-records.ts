import { actKindOf } from '../../shared/acts/act-row.js';
import type { Commitments } from '../hashing/commitments.js';
import { utf8 } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';
import type { LedgerRow } from './ledger-row.js';
import { redactedFaults } from './redacted-line.js';

/** The disclosed fields of an act, each proven by the header's commitments. */
export type ActFields = ReadonlyMap<string, unknown>;

/**
 * Reads a line of proofs/facts.jsonl: a whole record, whose seed the row holds, or a redacted line.
 *
 * @returns the fields, or the fault
 */
export function readAct(commitments: Commitments, line: string, row: LedgerRow, tenantId: string): ActFields | string {
  if (!isCanonical(line)) return 'the line is not in the form of RFC 8785';
  if (row.seed === null) {
    const { faults, values } = redactedFaults(commitments, line, { ...row, tenant_id: tenantId }, 'act');
    return faults[0] ?? values;
  }
  const fields = new Map<string, unknown>();
  const span = [0, line.length] as const;
  const made = commitments.ofRecord(row.seed, commitments.scanner(line), span, utf8(line), (pointer, start, end) => {
    fields.set(pointer, JSON.parse(line.slice(start, end)));
  });
  if (made?.commit !== row.commit || made.fields !== row.fields)
    return 'the record and its seed do not make the committed hashes';
  const isOwn =
    fields.get('/event_id') === row.event_id &&
    fields.get('/source_system') === row.source_system &&
    fields.get('/tenant_id') === tenantId;
  return isOwn ? fields : 'the record says another entry, source or tenant than its header';
}

/** A fact that the bundle holds: the subject's latest within the tree, if the map says so. */
interface HeldFact {
  readonly kind: string;
  readonly id: string;
  readonly fields: ActFields;
  readonly tree_index: number;
  readonly entry_hash: string;
}

const FACT = 'eas.fact/v2';
const SYSTEM_KINDS: readonly string[] = ['event-redaction', 'document-redaction', 'disposal'];

/** The facts of a bundle by `KIND/ID`. */
export class HeldFacts {
  readonly #facts = new Map<string, HeldFact>();

  /** @param fields of an entry of any partition; only facts in the partition of their kind are kept */
  add(fields: ActFields, { source_system, tree_index, entry_hash }: LedgerRow): void {
    const [kind, id] = [fields.get('/payload/subject/kind'), fields.get('/payload/subject/id')];
    if (fields.get('/payload/fact') !== FACT || typeof kind !== 'string' || typeof id !== 'string') return;
    const partition = SYSTEM_KINDS.includes(kind) ? 'SYSTEM' : 'RECORD';
    if (actKindOf(source_system) !== partition) return;
    const known = this.#facts.get(`${kind}/${id}`);
    if (known !== undefined && known.tree_index > tree_index) return;
    this.#facts.set(`${kind}/${id}`, { kind, id, fields, tree_index, entry_hash });
  }

  of(kind: string, id: string): HeldFact | undefined {
    return this.#facts.get(`${kind}/${id}`);
  }

  /** A member of the state of the latest fact. */
  state(kind: string, id: string, name: string): unknown {
    return this.of(kind, id)?.fields.get(`/payload/state/${name}`);
  }
}
