import type { Clock } from '../../../shared/clock/clock.js';
import type { HoldSubject } from '../../../shared/contracts/holds.js';
import { problem } from '../../../shared/errors/problem.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { matches, type ScopedHold } from '../domain/hold-scope.js';
import type { GateStore } from './ports/gate-store.js';
import type { HoldStore } from './ports/hold-store.js';

/** A permit is refused when a hold or another deletion came in between; so many in a row have not. */
const MAX_ATTEMPTS = 20;

export interface GateDeps {
  readonly holds: HoldStore;
  readonly gates: GateStore;
  readonly clock: Clock;
  /**
   * Takes away what a deletion names, under the id it was prepared under, to the end; doing it again, or at once with
   * another who does it, changes nothing.
   */
  readonly finish: (tenantId: TenantId, deletionId: string) => Promise<void>;
  /** Every id of the person that a member id stands for; the id alone where nothing was merged. */
  readonly membersOf?: (tenantId: TenantId, memberId: string) => Promise<readonly string[]>;
  /** The documents that are linked to each of these legal matters, by the matter. */
  readonly documentsOf?: (
    tenantId: TenantId,
    matterIds: readonly string[],
  ) => Promise<ReadonlyMap<string, readonly string[]>>;
  /** Members who wait for an answer about what there is of them. */
  readonly underRequest?: (tenantId: TenantId) => Promise<readonly string[]>;
}

/** Things that somebody wants to delete. */
export interface Deletion<S extends HoldSubject> {
  /** What there is to go. Asked again after another deletion of the tenant was let through: that one's things are gone then. */
  readonly subjects: () => Promise<readonly S[]>;
  /** Writes down, durably and for good, what goes. @returns the id that `finish` is called with; fresh at each call. */
  readonly prepare: (permitted: readonly S[]) => Promise<string>;
  /** What was prepared under this id does not go. */
  readonly abandon: (deletionId: string) => Promise<void>;
}

export interface GatePass<S extends HoldSubject> {
  /** What there was to go. */
  readonly subjects: readonly S[];
  readonly gone: readonly S[];
  /** Without a hold: for a request that is open. */
  readonly refused: readonly { readonly subject: S; readonly hold_ids: readonly string[] }[];
}

/**
 * The one gate through which every deletion of kept content goes (docs/adr/0038). It is asked when the deletion runs, and it
 * looks at the scopes of the holds in force, whatever their listings have come to. Holds and deletions meet in one row of the
 * tenant: a permit names the epoch at which the holds were read, and a hold moves the epoch on before it is answered. So a
 * deletion either sees the hold, or was let through before it; and then whoever places the hold ends that deletion first.
 * Deletions of one tenant are let through one after another, and each reads what there is to go after the one before it has
 * ended: so nothing is deleted, and certified, twice.
 */
export class DeletionGate {
  readonly #deps: GateDeps;

  constructor(deps: GateDeps) {
    this.#deps = deps;
  }

  /** What of these subjects is held, by id. */
  async look(tenantId: TenantId, subjects: readonly HoldSubject[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (subjects.length === 0) return new Map();
    const active = await this.widened(tenantId, await this.#deps.holds.forTenant(tenantId).active());
    const held = subjects.flatMap((subject) => {
      const holdIds = active.filter((hold) => matches(hold, subject)).map(({ hold_id }) => hold_id);
      return holdIds.length === 0 ? [] : [[subject.id, holdIds] as const];
    });
    return new Map(held);
  }

  /** What of these subjects stays, by id: by its holds, or by none where somebody waits for an answer about it. */
  async keeps(tenantId: TenantId, subjects: readonly HoldSubject[]): Promise<ReadonlyMap<string, readonly string[]>> {
    if (subjects.length === 0) return new Map();
    const asking = new Set((await this.#deps.underRequest?.(tenantId)) ?? []);
    const held = await this.look(tenantId, subjects);
    const asked = subjects.filter(({ id, facts }) => !held.has(id) && facts.member_ids.some((it) => asking.has(it)));
    return new Map([...held, ...asked.map(({ id }) => [id, []] as const)]);
  }

  /**
   * A hold over a member holds the person: what stands under an id that was merged with theirs, before or after, is held too. One
   * of a legal matter holds the documents that are linked to the matter.
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

  /** Deletes what nothing holds; what is held stays, and the refusal is recorded. @throws CONFLICT when holds come and come */
  async pass<S extends HoldSubject>(tenantId: TenantId, deletion: Deletion<S>): Promise<GatePass<S>> {
    const { gates, holds, clock, finish } = this.#deps;
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const state = await gates.state(tenantId);
      if (state.permits.length > 0) {
        await this.#end(tenantId, state.permits);
        continue;
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
          continue;
        }
        await finish(tenantId, deletionId);
        await gates.end(tenantId, deletionId);
      }
      const told = refused
        .filter(({ hold_ids }) => hold_ids.length > 0)
        .map(({ subject: { kind, id }, hold_ids }) => ({ kind, id, hold_ids }));
      await holds.forTenant(tenantId).refuse(told, new Date(clock.nowMs()));
      return { subjects, gone, refused };
    }
    throw problem('CONFLICT', { message: 'Legal holds or deletions are under way at this moment; try again.' });
  }

  /**
   * For a hold, or a request, that has just been written: no deletion can overlook it from here on, and those that were let through before
   * have ended.
   */
  async close(tenantId: TenantId): Promise<void> {
    await this.#end(tenantId, await this.#deps.gates.advance(tenantId));
  }

  /** Ends the deletions that a crash has left half done. */
  async resume(signal?: AbortSignal): Promise<void> {
    for (const { tenant_id, deletion_ids } of await this.#deps.gates.permits()) {
      if (signal?.aborted) return;
      await this.#end(tenant_id, deletion_ids);
    }
  }

  async #end(tenantId: TenantId, deletionIds: readonly string[]): Promise<void> {
    for (const deletionId of deletionIds) {
      await this.#deps.finish(tenantId, deletionId);
      await this.#deps.gates.end(tenantId, deletionId);
    }
  }
}
