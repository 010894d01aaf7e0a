import type { Clock } from '../../../shared/clock/clock.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { retryOnConflict } from '../../../shared/records/conflicts.js';
import { matches, type ScopedHold } from '../holds/domain/index.js';
import type { HoldStore } from '../holds/index.js';
import type { GateStore } from './ports.js';

/** A permit fails if a hold or another deletion came in between; not this often in a row. */
const MAX_ATTEMPTS = 20;

export interface GateDeps {
  readonly holds: HoldStore;
  readonly gates: GateStore;
  readonly clock: Clock;
  /** Completes a prepared deletion. Idempotent, also when several processes run it at once. */
  readonly finish: (tenantId: TenantId, deletionId: string) => Promise<void>;
  /** Returns every id of the person with this member id; by default the id alone. */
  readonly membersOf?: (tenantId: TenantId, memberId: string) => Promise<readonly string[]>;
  /** Returns the documents linked to each of these legal matters, by matter. */
  readonly documentsOf?: (
    tenantId: TenantId,
    matterIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Returns members with an open request about their data. */
  readonly underRequest?: (tenantId: TenantId) => Promise<readonly string[]>;
}

/** A deletion to pass through the gate. */
interface Deletion<S extends HoldSubject> {
  /**
   * Returns the candidates. Called again after another deletion of the tenant has passed; its subjects are then gone.
   */
  readonly subjects: () => Promise<readonly S[]>;
  /**
   * Records the planned deletions durably and finally.
   *
   * @returns the id for `finish`; a fresh one on each call
   */
  readonly prepare: (permitted: readonly S[]) => Promise<string>;
  /** Discards a prepared deletion. */
  readonly abandon: (deletionId: string) => Promise<void>;
}

export interface GatePass<S extends HoldSubject> {
  /** The candidates. */
  readonly subjects: readonly S[];
  readonly gone: readonly S[];
  /** Refused candidates; without a hold id if a request of the member is open. */
  readonly refused: readonly { readonly subject: S; readonly hold_ids: readonly string[] }[];
}

/**
 * The only gate for deletions of stored content (docs/adr/0038).
 * It runs when the deletion runs, and checks the scopes of active holds, however far their listings have come. Holds
 * and deletions meet in one row per tenant. A permit names the epoch at which the holds were read; a hold advances the
 * epoch before it is confirmed. So a deletion either sees the hold or has passed before it, and then the placing of the
 * hold completes that deletion first.
 * Deletions of one tenant pass one after another. Each reads its candidates after the previous one has ended, so that
 * nothing is deleted and certified twice.
 */
export class DeletionGate {
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** Returns the holds over each held subject, by id. */
  async holdsOver(
    tenantId: TenantId,
    subjects: readonly HoldSubject[],
  ): Promise<ReadonlyMap<string, readonly string[]>> {
    if (subjects.length === 0) return new Map();
    const active = await this.widened(tenantId, await this.#deps.holds.forTenant(tenantId).active());
    const held = subjects.flatMap((subject) => {
      const holdIds = active.filter((hold) => matches(hold, subject)).map(({ hold_id }) => hold_id);
      return holdIds.length === 0 ? [] : [[subject.id, holdIds] as const];
    });
    return new Map(held);
  }

  /** Returns the subjects that stay, by id: with their holds, or with none if a request of the member is open. */
  async keeps(tenantId: TenantId, subjects: readonly HoldSubject[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (subjects.length === 0) return new Map();
    const requesters = new Set((await this.#deps.underRequest?.(tenantId)) ?? []);
    const held = await this.holdsOver(tenantId, subjects);
    const requested = subjects.filter(
      ({ id, facts }) => !held.has(id) && facts.member_ids.some((it) => requesters.has(it)),
    );
    return new Map([...held, ...requested.map(({ id }) => [id, []] as const)]);
  }

  /**
   * Extends the scope of holds.
   * A hold over a member covers the person, with ids merged before or after. A hold of a legal matter covers the
   * documents linked to the matter.
   */
  async widened<H extends ScopedHold>(tenantId: TenantId, holds: readonly H[]): Promise<readonly H[]> {
    const matterIds = [...new Set(holds.flatMap(({ matter_id }) => matter_id ?? []))];
    const linked = matterIds.length === 0 ? undefined : await this.#deps.documentsOf?.(tenantId, matterIds);
    return Promise.all(
      holds.map(async (hold) => {
        const { member_ids, document_ids = [] } = hold.scope;
        const documents = hold.matter_id === null ? [] : (linked?.get(hold.matter_id) ?? []);
        const scope = {
          ...hold.scope,
          ...(member_ids && { member_ids: await this.#persons(tenantId, member_ids) }),
          ...(documents.length > 0 && { document_ids: [...new Set([...document_ids, ...documents])] }),
        };
        return { ...hold, scope };
      }),
    );
  }

  async #persons(tenantId: TenantId, memberIds: readonly string[]): Promise<readonly string[]> {
    const { membersOf } = this.#deps;
    if (membersOf === undefined) return memberIds;
    const all = (await Promise.all(memberIds.map((id) => membersOf(tenantId, id)))).flat();
    return [...new Set([...memberIds, ...all])];
  }

  /**
   * Deletes the free subjects, and records the refusal of held ones.
   *
   * @throws CONFLICT if holds or deletions keep coming in between
   */
  async pass<S extends HoldSubject>(tenantId: TenantId, deletion: Deletion<S>): Promise<GatePass<S>> {
    const { gates, holds, clock, finish } = this.#deps;
    const attempt = async (): Promise<GatePass<S> | undefined> => {
      const state = await gates.state(tenantId);
      if (state.permits.length > 0) {
        await this.#end(tenantId, state.permits);
        return undefined;
      }
      const subjects = await deletion.subjects();
      const held = await this.keeps(tenantId, subjects);
      const gone = subjects.filter(({ id }) => !held.has(id));
      const refused = subjects.flatMap((subject) => {
        const hold_ids = held.get(subject.id);
        return hold_ids === undefined ? [] : [{ subject, hold_ids }];
      });
      if (gone.length > 0) {
        const deletionId = await deletion.prepare(gone);
        if (!(await gates.permit(tenantId, state, deletionId))) {
          await deletion.abandon(deletionId);
          return undefined;
        }
        await finish(tenantId, deletionId);
        await gates.end(tenantId, deletionId);
      }
      const stopped = refused
        .filter(({ hold_ids }) => hold_ids.length > 0)
        .map(({ subject: { kind, id }, hold_ids }) => ({ kind, id, hold_ids }));
      await holds.forTenant(tenantId).refuse(stopped, new Date(clock.nowMs()));
      return { subjects, gone, refused };
    };
    return retryOnConflict('legal holds and deletions of the tenant', attempt, MAX_ATTEMPTS);
  }

  /**
   * Makes every later deletion see a hold or request just written, and completes the deletions that passed before it.
   */
  async close(tenantId: TenantId): Promise<void> {
    await this.#end(tenantId, await this.#deps.gates.advance(tenantId));
  }

  /**
   * Completes the deletions that a crash interrupted. A failure of one tenant does not stop the others.
   *
   * @throws the first failure
   */
  async resume(signal?: AbortSignal): Promise<void> {
    let failure: unknown;
    for (const { tenant_id, deletion_ids } of await this.#deps.gates.permits()) {
      if (signal?.aborted) return;
      await this.#end(tenant_id, deletion_ids).catch((error: unknown) => {
        failure ??= error;
      });
    }
    if (failure !== undefined) throw failure;
  }

  async #end(tenantId: TenantId, deletionIds: readonly string[]): Promise<void> {
    for (const deletionId of deletionIds) {
      await this.#deps.finish(tenantId, deletionId);
      await this.#deps.gates.end(tenantId, deletionId);
    }
  }
}
