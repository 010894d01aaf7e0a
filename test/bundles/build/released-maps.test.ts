import { describe, expect, it } from '@jest/globals';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Lease } from '../../../shared/jobs/work-queue.js';
import { buildQueue } from '../../../subgraphs/bundles/build/build-bundle.js';
import type { BundleRow } from '../../../subgraphs/bundles/bundles/index.js';

const TENANT = 't-released' as TenantId;
const ROW = { _id: 'bnd_1', tenant_id: TENANT } as BundleRow;
const LEASE = { signal: new AbortController().signal } as Lease;

/** A queue of builds over one bundle with this status, and the maps that it releases. */
function queueOver(status: string | null) {
  const released: string[] = [];
  const forgotten: string[] = [];
  const deps = {
    bundles: () => ({ get: async () => (status === null ? null : { bundle_id: ROW._id, status }) }),
    inputsOf: (_: TenantId, id: string) => ({ forget: async () => forgotten.push(id) }),
    stateMaps: { release: async (_: TenantId, holder: string) => released.push(holder) },
  };
  // The queue asks nothing else for a bundle that has ended.
  return { queue: buildQueue(deps as never, 'bundles', 1_000), released, forgotten };
}

describe('the queue of builds', () => {
  it.each(['SEALED', 'FAILED'])('releases the map of a %s bundle after its builder died', async (status) => {
    const { queue, released, forgotten } = queueOver(status);
    await expect(queue.handle(ROW, LEASE)).resolves.toEqual({ kind: 'done', change: {} });
    expect(released).toEqual(['bnd_1']);
    expect(forgotten).toEqual(['bnd_1']);
  });

  it.each(['SEALED', null])('releases the map of a build that it gives up; its bundle is %s', async (status) => {
    const { queue, released } = queueOver(status);
    await queue.poison(ROW);
    expect(released).toEqual(['bnd_1']);
  });
});
