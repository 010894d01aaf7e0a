import { describe, expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { type FlagDeps, flagHeld } from '../../../subgraphs/vault/holds/flag-held.js';
import { ManualClock, recordingLogger } from '../../support/fakes.js';

const TENANT = 'ten_a' as TenantId;
const HOLD = 'hld_1';
const HOUR_MS = 3_600_000;

/** A deployment in memory that stops at the n-th call; what a call did before stays. */
class StoppingDeployment {
  status: 'ACTIVE' | 'RELEASED' = 'ACTIVE';
  readonly unflagged = new Set(['evt_1', 'evt_2', 'doc_1']);
  readonly rows = new Set<string>();
  readonly flagged = new Set<string>();
  readonly clock = new ManualClock();
  calls = 0;
  #stopAt = Number.POSITIVE_INFINITY;
  #isAfter = false;

  /** @param isAfter stops after the effect of the call, before its answer */
  stopAt(call: number, isAfter: boolean): void {
    [this.calls, this.#stopAt, this.#isAfter] = [0, call, isAfter];
  }

  get deps(): FlagDeps {
    const act = async <T>(effect: () => T): Promise<T> => {
      const stops = ++this.calls === this.#stopAt;
      if (stops && !this.#isAfter) throw new Error('stopped');
      const result = effect();
      if (stops) throw new Error('stopped');
      return result;
    };
    const kindOf = (id: string) => (id.startsWith('evt') ? 'EVENT' : 'DOCUMENT');
    const holds = {
      tenantIds: () => act(() => (this.status === 'ACTIVE' ? [TENANT] : [])),
      forTenant: () => ({
        active: () => act(() => (this.status === 'ACTIVE' ? [{ hold_id: HOLD }] : [])),
        get: () => act(() => ({ status: this.status, release: { released_at: new Date(0) } })),
        unflagged: () => act(() => [...this.unflagged].slice(0, 2).map((id) => ({ kind: kindOf(id), id }))),
        markFlagged: (_: string, listed: readonly { readonly id: string }[]) =>
          act(() => {
            for (const { id } of listed) this.unflagged.delete(id);
          }),
      }),
    };
    const flagRows = {
      tenantIds: () => act(() => (this.rows.size > 0 ? [TENANT] : [])),
      of: () => act(() => [...this.rows].map((hold_id) => ({ hold_id, tenant_id: TENANT, isLifted: false }))),
      begin: () => act(() => void this.rows.add(HOLD)),
      markLifted: () => act(() => undefined),
      end: () => act(() => void this.rows.clear()),
    };
    const holdFlags = {
      set: (_: string, { records, contents }: { records: readonly string[]; contents: readonly string[] }) =>
        act(() => {
          for (const each of [...records, ...contents]) this.flagged.add(each);
          return new Set<string>();
        }),
      lift: () =>
        act(() => {
          const { size } = this.flagged;
          this.flagged.clear();
          return size;
        }),
    };
    const facts = async (_: TenantId, ids: readonly string[]) => ({
      candidates: ids.map((event_id) => ({ event_id, worm_sha256: `of ${event_id}`, raw_sha256: null })),
      disposed: [],
      damaged: [],
    });
    const among = async (ids: readonly string[]) =>
      ids.map((document_id) => ({ document_id, status: 'AVAILABLE', sha256: `of ${document_id}` }));
    // The parts have many methods that this work does not call.
    return {
      clock: this.clock,
      logger: recordingLogger().logger,
      holds,
      flagRows,
      documents: () => ({ among }),
      ledgerDisposal: { facts },
      tenants: { find: async () => ({ log_id: 'log_a' }) },
      worm: { upkeepOf: () => ({ holdFlags }) },
    } as unknown as FlagDeps;
  }
}

const ALL = ['of doc_1', 'of evt_1', 'of evt_2'];

describe('flagHeld', () => {
  it('sets the flags of all listed records, and lifts them after the release', async () => {
    const deployment = new StoppingDeployment();
    await flagHeld(deployment.deps);
    expect([...deployment.flagged].sort()).toEqual(ALL);
    deployment.status = 'RELEASED';
    await flagHeld(deployment.deps);
    expect([deployment.flagged.size, deployment.rows.size]).toEqual([0, 0]);
  });

  it.each([false, true])('completes both after a stop at any call (after its effect: %s)', async (isAfter) => {
    for (let call = 1; ; call++) {
      const deployment = new StoppingDeployment();
      const run = async (): Promise<boolean> => {
        deployment.stopAt(call, isAfter);
        const isStopped = await flagHeld(deployment.deps).then(
          () => false,
          () => true,
        );
        // Flags without the row of their hold would stay for ever.
        if (deployment.flagged.size > 0) expect(deployment.rows.size).toBe(1);
        deployment.stopAt(Number.POSITIVE_INFINITY, isAfter);
        await flagHeld(deployment.deps);
        return isStopped;
      };
      const isStopped = await run();
      expect([...deployment.flagged].sort()).toEqual(ALL);
      deployment.status = 'RELEASED';
      const isStoppedToo = await run();
      expect([deployment.flagged.size, deployment.rows.size]).toEqual([0, 0]);
      if (!isStopped && !isStoppedToo) break;
    }
  });

  it('keeps the row of a hold for an hour after its release, so that late flags are lifted too', async () => {
    const deployment = new StoppingDeployment();
    await flagHeld(deployment.deps);
    deployment.status = 'RELEASED';
    // The release of this hold is at the beginning of the epoch.
    deployment.clock.advance(HOUR_MS / 2 - deployment.clock.nowMs());
    await flagHeld(deployment.deps);
    expect([deployment.flagged.size, deployment.rows.size]).toEqual([0, 1]);
    deployment.flagged.add('of a late page');
    deployment.clock.advance(HOUR_MS);
    await flagHeld(deployment.deps);
    expect([deployment.flagged.size, deployment.rows.size]).toEqual([0, 0]);
  });
});
