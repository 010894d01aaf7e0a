import type { Database } from '../../../shared/db/database.js';
import { FACT_PARTITIONS, type FactDraft, type FactKind, factEntry } from '../../../shared/facts/fact.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { keysOf } from '../../../shared/json/keys.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/index.js';
import { withAttachments } from '../../../subgraphs/ledger/facts/append-facts.js';
import { mongoTreeStore } from '../../../subgraphs/ledger/transparency/model/tree-store.js';
import { envelope } from '../../support/envelopes.js';
import type { Evidence } from '../integrity/evidence-kit.js';

export const KINDS = keysOf(FACT_PARTITIONS);

/** Appends random events and facts of every kind; the random numbers decide everything. */
export class RandomLedger {
  readonly #evidence: Evidence;
  readonly #tenant: string;
  readonly #random: () => number;
  readonly #latest = new Map<string, string>();
  readonly #refs = new Map<string, readonly string[]>();
  #n = 0;

  constructor(evidence: Evidence, tenant: string, random: () => number) {
    this.#evidence = evidence;
    this.#tenant = tenant;
    this.#random = random;
  }

  async append(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      if (this.#random() < 0.5) await this.#event();
      else await this.#fact();
      if (this.#random() < 0.1) this.#evidence.clock.advance(1_000);
    }
  }

  async #event(): Promise<void> {
    const payload = {
      ...(this.#random() < 0.3 ? { matter_id: `mat_${this.#below(3)}` } : {}),
      ...(this.#random() < 0.3 ? { incident_id: `INC ${this.#below(3)} é` } : {}),
    };
    const member = this.#random() < 0.8 ? { member_id: `M-${this.#below(6)}` } : {};
    const { member_id: _, ...rest } = envelope(`${this.#n++}`, { payload, source_system: `src-${this.#below(3)}` });
    await this.#evidence.append(this.#tenant, [{ ...rest, ...member } as JsonObject]);
  }

  async #fact(): Promise<void> {
    const kind: FactKind = KINDS[this.#below(KINDS.length)] ?? 'hold';
    const id = `${kind}-${this.#below(4)}`;
    const name = `${kind}/${id}`;
    const { memberTags } = await this.#evidence.contexts.of(this.#tenant);
    const draft: FactDraft = {
      fact_id: `eff_${this.#n++}`,
      subject: { kind, id },
      event_family: 'record',
      event_type: 'record.changed',
      at: '2026-03-02T14:11:09.123Z',
      action: 'change',
      actor: { type: 'SERVICE', id: 'service:test' },
      previous: this.#latest.get(name) ?? null,
      state: { status: this.#random() < 0.5 ? 'ACTIVE' : 'RELEASED' },
      ...(kind === 'document' ? this.#attachments(name) : {}),
    };
    const entry = factEntry(withAttachments(draft, memberTags));
    const receipts = await this.#evidence.append(this.#tenant, [{ ...entry } as unknown as JsonObject]);
    this.#latest.set(name, receipts.get(0)?.entry_hash ?? '');
  }

  #attachments(name: string): Pick<FactDraft, 'refs' | 'dropped_refs'> {
    const before = this.#refs.get(name) ?? [];
    const after = [`member/M-${this.#below(3)}`, `event/evt_${this.#below(3)}`].filter(() => this.#random() < 0.7);
    this.#refs.set(name, after);
    return {
      refs: after.filter((ref) => !before.includes(ref)),
      dropped_refs: before.filter((ref) => !after.includes(ref)),
    };
  }

  #below(end: number): number {
    return Math.floor(this.#random() * end);
  }
}

/** The entries of a tenant as lines for the independent fold, in the order of the tree. */
export async function exportedEntries({ db }: Database, tenant: string): Promise<readonly string[]> {
  const rows = await db.collection<LedgerRow>('ledger', { promoteBuffers: true }).find({ tenant_id: tenant }).toArray();
  const byPlace = new Map(rows.map((row) => [`${row._id.seq} ${row.source_system}`, row]));
  const leaves = await mongoTreeStore(db)(tenant as TenantId).rows(0, 100_000);
  return leaves.map(({ seq, source_system }) => {
    const row = byPlace.get(`${seq} ${source_system}`);
    const { entry_hash, member_tag, map_logs, record } = row ?? {};
    return JSON.stringify({
      source_system,
      entry_hash,
      member_tag,
      map_logs,
      record: record?.toString('utf8') ?? null,
    });
  });
}
