import { LOGS, MAP } from '../archive/entry-names.js';
import type { LineReader } from '../archive/line-reader.js';
import { type HeldFacts, readAct } from '../checks/act-records.js';
import type { BundleContext } from '../checks/context.js';
import type { InclusionWalk } from '../checks/inclusion.js';
import { type LedgerRow, readLedgerRow } from '../checks/ledger-row.js';
import type { Commitments } from '../hashing/commitments.js';
import { entryHash } from '../hashing/links.js';
import { ClaimStore, MapHasher, Multiproof, MultiproofFault } from '../hashing/multiproof.js';
import type { ManifestLog } from '../manifest/manifest-shape.js';
import { isObject } from '../manifest/members.js';
import { spanOf } from '../text/byte-heap.js';
import { fromBase64, fromHex, toHex, utf8 } from '../text/bytes.js';
import { isCanonical } from '../text/canonical-scanner.js';

/** Most bytes of the tokens in one line of proofs/map.jsonl. */
const MAX_TOKENS = 2 ** 20;

/** Collects the keys of the state map that a bundle rests on, and verifies their one proof (evidence.md section 5). */
export class MapProof {
  readonly #claims = new ClaimStore();
  readonly #hasher: MapHasher;

  constructor(
    private readonly context: BundleContext,
    private readonly facts: HeldFacts,
  ) {
    this.#hasher = new MapHasher(context.platform);
  }

  /** An event that is shown is neither disposed of nor, if it is whole, redacted. */
  claimShown(eventId: string): void {
    this.#absent('disposal', eventId);
    this.#absent('event-redaction', eventId);
  }

  /** Claims what the facts say of hidden events, and of everything that the manifest names. */
  claimFacts(hiddenBy: ReadonlyMap<string, string | null>): void {
    for (const [event, redaction] of hiddenBy) {
      this.#fact('disposal', event);
      if (redaction !== null) this.#fact('event-redaction', event);
    }
    const { documents, holds, scope, logs = [] } = this.context.manifest.head;
    for (const { document_id, state } of documents) {
      this.#fact('document', document_id);
      if (state !== 'DISPOSED') this.#fact('document-redaction', document_id);
    }
    for (const { hold_id } of holds) this.#fact('hold', hold_id);
    if (scope.matter_id !== undefined) this.#fact('matter', scope.matter_id);
    for (const { kind, id, count, root } of logs) {
      const value = count === 0 ? null : this.#hasher.logValue(count, fromHex(root));
      this.#claims.add({ key: this.#hasher.key(kind, id), value });
      if (kind === 'member-log') this.#fact('member', id);
    }
  }

  /** Verifies the entry `map.committed` (its header is the last row of ledger.tsv) and the proof of all claims. */
  async verify(
    lines: LineReader,
    ledger: LineReader,
    inclusion: InclusionWalk,
    commitments: Commitments,
  ): Promise<void> {
    await this.#entry(await lines.line(), await ledger.line(), inclusion, commitments);
    const { map } = this.context.manifest.head;
    if (!this.#claims.sort()) return this.#broken('MAP_TWICE', 'the manifest names something twice');
    try {
      const proof = new Multiproof(this.#hasher, this.#claims);
      for (let line = await lines.line(); line !== undefined; line = await lines.line()) proof.read(tokensOf(line));
      if (toHex(proof.root()) !== map?.root)
        this.#broken('MAP_PROOF', 'the proof does not lead to the root of the map');
    } catch (fault) {
      if (!(fault instanceof MultiproofFault)) throw fault;
      this.#broken('MAP_PROOF', fault.message);
    }
    this.context.findings.done('map', `${this.#claims.length} keys`);
  }

  #broken(code: string, detail: string): void {
    this.context.findings.broken('map', code, MAP, detail);
  }

  #absent(kind: string, x: string): void {
    this.#claims.add({ key: this.#hasher.key(kind, x), value: null });
  }

  /** The bundle holds the latest fact of the subject; without one there is none. */
  #fact(kind: string, x: string): void {
    const fact = this.facts.of(kind, x);
    const value = fact && this.#hasher.stateValue(kind, fact.tree_index, fromHex(fact.entry_hash));
    this.#claims.add({ key: this.#hasher.key(kind, x), value: value ?? null });
  }

  async #entry(
    record: string | undefined,
    ledgerLine: string | undefined,
    inclusion: InclusionWalk,
    commitments: Commitments,
  ): Promise<void> {
    const row = ledgerLine === undefined ? undefined : readLedgerRow(ledgerLine);
    if (record === undefined || row === undefined) {
      this.#broken('MAP_ENTRY', 'the entry map.committed, or its header, is missing');
      return;
    }
    if (!this.#isCommitted(record, row, commitments))
      this.#broken('MAP_ENTRY', 'not the entry of this map as the last leaf under the checkpoint');
    await inclusion.add(row.tree_index, spanOf(utf8(row.entry_hash)), 'map.committed');
  }

  #isCommitted(record: string, row: LedgerRow, commitments: Commitments): boolean {
    const { platform, manifest } = this.context;
    const { map, ledger, tenant_id } = manifest.head;
    const fields = row.seed === null ? '' : readAct(commitments, record, row, tenant_id);
    return (
      typeof fields !== 'string' &&
      row.source_system === '_map' &&
      entryHash(platform, row, JSON.stringify(tenant_id)) === row.entry_hash &&
      fields.get('/event_type') === 'map.committed' &&
      fields.get('/payload/map') === 'eas.map/v1' &&
      fields.get('/payload/tree_size') === row.tree_index &&
      fields.get('/payload/root') === map?.root &&
      map?.tree_size === row.tree_index &&
      ledger.tree_size === row.tree_index + 1
    );
  }
}

/** The tokens of a line of proofs/map.jsonl behind the first. */
function tokensOf(line: string): Uint8Array {
  const value: unknown = isCanonical(line) ? JSON.parse(line) : undefined;
  const { tokens, ...others } = isObject(value) ? value : {};
  const bytes = typeof tokens === 'string' ? fromBase64(tokens) : undefined;
  if (bytes === undefined || bytes.length === 0 || bytes.length > MAX_TOKENS || Object.keys(others).length > 0)
    throw new MultiproofFault('a line without tokens');
  return bytes;
}

/** The logs that the scope asks for, each once and in order. */
export function checkLogNames({ findings, manifest }: BundleContext, facts: HeldFacts): void {
  const { logs = [], scope } = manifest.head;
  const broken = (code: string, detail: string): void => findings.broken('complete', code, LOGS, detail);
  const named = ({ kind, id, member_id }: ManifestLog): string => `${kind}/${kind === 'member-log' ? member_id : id}`;
  const wanted = [
    ...scope.member_ids.map((id) => `member-log/${id}`),
    ...(scope.matter_id === undefined ? [] : [`matter-log/${scope.matter_id}`]),
    ...(scope.incident_id === undefined ? [] : [`incident-log/${scope.incident_id}`]),
  ];
  if (logs.map(named).join('\n') !== wanted.join('\n')) broken('LOG_MISSING', 'the logs are not those of the scope');
  for (const { kind, id } of logs) {
    if (kind !== 'member-log') continue;
    for (const [pointer, merged] of facts.of('member', id)?.fields ?? []) {
      if (!pointer.startsWith('/payload/state/merged_from/')) continue;
      if (!scope.member_ids.some((member) => member === merged))
        broken('LOG_MERGED', 'a member that was merged into one of the scope is left out');
    }
  }
}
