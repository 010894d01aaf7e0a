import { isoTime } from '../../shared/clock/clock.js';
import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import { type AdoptionOrder, adoptRows } from '../../shared/facts/adopt-rows.js';
import type { AdoptableRows, AdoptionRefusal } from '../../shared/facts/adoption.js';
import { type AdoptionFinding, type AdoptionPlan, planAdoption } from '../../shared/facts/adoption-plan.js';
import type { FactKind } from '../../shared/facts/fact.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import type { Subgraph } from '../../shared/graph/subgraph.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { ReportProgress } from '../../shared/progress/progress.js';

type RunDeps = Pick<SubgraphDeps, 'clock' | 'ids' | 'systemLedger'>;

interface RunOptions {
  /** All kinds if empty. */
  readonly kinds: readonly string[];
  readonly includingNewer: boolean;
  /** Null for a list that writes nothing. */
  readonly order: Pick<AdoptionOrder, 'reason' | 'by'> | null;
}

interface Kind {
  readonly kind: FactKind;
  readonly guard: FactGuard;
  readonly rows: AdoptableRows;
}

type Said = AdoptionFinding['verdict'] | 'ADOPTED' | 'FINISHED';

const MEANING: Readonly<Record<AdoptionRefusal, string>> = {
  FACT_UNKNOWN: 'refused: it names a fact that the ledger does not have',
  HAS_FACTS: 'refused: it names no fact, but the ledger has facts of its subject',
  MALFORMED: 'refused: its members have wrong types',
  CONTRADICTED: 'refused: another record contradicts it',
  NEWER: 'refused: facts of its kind are older (--including-newer adopts it)',
  LATE: 'refused: the rows of its kind were adopted before (--including-newer adopts it)',
  TOO_LARGE: 'refused: the ledger rejected its fact; it may be too large',
};

const MEANINGS: Readonly<Record<Said, string>> = {
  ...MEANING,
  ADOPT: 'to adopt',
  ADOPTED: 'adopted',
  FINISH: 'to finish: its fact exists',
  FINISHED: 'finished: its fact existed',
};

const isWanted = ({ verdict }: AdoptionFinding): boolean => verdict === 'ADOPT' || verdict === 'FINISH';

const DONE: Readonly<Partial<Record<Said, Said>>> = { ADOPT: 'ADOPTED', FINISH: 'FINISHED' };

/** Adopts the rows of tenants, and says of each row what it did. */
export class AdoptionRun {
  readonly #deps: RunDeps;
  readonly #kinds: readonly Kind[];
  readonly #say: (line: string, result?: object) => void;
  readonly #progress: ReportProgress;
  /** Rows adopted or refused so far, and rows of all plans so far. */
  #done = 0;
  #total = 0;

  constructor(
    deps: RunDeps,
    subgraphs: readonly Subgraph[],
    { say, progress }: { readonly say: (line: string, result?: object) => void; readonly progress: ReportProgress },
  ) {
    this.#deps = deps;
    this.#say = say;
    this.#progress = progress;
    const kinds = subgraphs.flatMap(({ facts: guard }) =>
      guard === undefined ? [] : [...guard.adoptable].map(([kind, rows]) => ({ kind, guard, rows })),
    );
    // The adoption of a document names the fact of its rendition.
    const isFirst = ({ kind }: Kind): boolean => kind === 'document-redaction';
    this.#kinds = [...kinds.filter(isFirst), ...kinds.filter((kind) => !isFirst(kind))];
  }

  get kinds(): readonly string[] {
    return this.#kinds.map(({ kind }) => kind);
  }

  /** @returns false if rows were refused. */
  async tenant(tenantId: TenantId, { kinds, includingNewer, order }: RunOptions): Promise<boolean> {
    const runId = this.#deps.ids.next('work');
    const chosen = this.#kinds.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
    const planned: { readonly of: Kind; readonly plan: AdoptionPlan }[] = [];
    for (const of of chosen) {
      const options = { adoptionId: runId, includingNewer };
      planned.push({ of, plan: await planAdoption(of.guard, tenantId, of.kind, of.rows, options) });
    }
    this.#total += planned.reduce((sum, { plan }) => sum + plan.findings.filter(isWanted).length, 0);
    const at = isoTime(this.#deps.clock.nowMs());
    const full = order === null ? null : { ...order, at };
    if (full !== null) await this.#note(tenantId, runId, { plans: planned.map(({ plan }) => plan), order: full });
    let isClean = true;
    for (const { of, plan } of planned) {
      const { guard, rows } = of;
      const refused =
        full === null ? null : await adoptRows({ guard, tenantId, rows, order: full }, plan, this.#advance);
      isClean = this.#report(tenantId, plan, refused) && isClean;
    }
    return isClean;
  }

  readonly #advance = (rows: number): void => {
    this.#done += rows;
    this.#progress(this.#done, this.#total);
  };

  /** The note comes before the facts, so that no crash leaves an adopted row without one. */
  async #note(
    tenantId: TenantId,
    runId: string,
    { plans, order }: { readonly plans: readonly AdoptionPlan[]; readonly order: AdoptionOrder },
  ): Promise<void> {
    const kinds = plans.flatMap(({ kind, extent, findings }) => {
      const rows = findings.filter(isWanted).length;
      return rows === 0 ? [] : [{ kind, rows, ...extent }];
    });
    if (kinds.length === 0) return;
    const entry = {
      source_system: '_system',
      source_record_id: `adoption/${runId}`,
      event_family: 'records',
      event_type: 'records.adopted',
      event_effective_timestamp: order.at,
      payload: { run_id: runId, reason: order.reason, by: order.by, before: 'NOT_PROVEN', kinds },
    } as const;
    await this.#deps.systemLedger.append(tenantId, [entry]);
  }

  /** @param refused the rows that were refused while they were adopted; null for a list. @returns false if any were. */
  #report(
    tenantId: TenantId,
    { kind, collection, findings }: AdoptionPlan,
    refused: ReadonlyMap<string, AdoptionRefusal> | null,
  ): boolean {
    const counts = new Map<Said, number>();
    for (const { key, createdAt, verdict } of findings) {
      const done: Said = refused === null ? verdict : (refused.get(key) ?? DONE[verdict] ?? verdict);
      counts.set(done, (counts.get(done) ?? 0) + 1);
      const created = createdAt === null ? 'of unknown age' : `of ${isoTime(createdAt.getTime())}`;
      const finding = { tenant_id: tenantId, kind, collection, key, created_at: createdAt, verdict: done };
      this.#say(`${tenantId} ${kind} ${collection}/${key} ${created}: ${MEANINGS[done]}`, finding);
    }
    const summary = [...counts].map(([verdict, count]) => `${count} ${verdict}`).join(', ');
    const total = { tenant_id: tenantId, kind, counts: Object.fromEntries(counts) };
    if (counts.size > 0) this.#say(`${tenantId} ${kind}: ${summary}`, total);
    return [...counts.keys()].every((verdict) => !Object.hasOwn(MEANING, verdict));
  }
}
