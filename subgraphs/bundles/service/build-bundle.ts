import type { Lease, Outcome, RowChange } from '../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { Build, BuildDeps, TellProgress } from './build-deps.js';
import { FrozenTooEarly, LeaseLost } from './build-deps.js';
import { failureOf } from './build-failure.js';
import { type EndDeps, failedChange, sealedChange } from './build-outcome.js';
import { freezeBuild } from './freeze-build.js';
import type { BundleRow, FrozenInputs, StoredBundle } from './ports/bundle-store.js';
import { sealArchive } from './seal-archive.js';
import { rowsOf } from './select-rows.js';
import { spoolEvents } from './spool-events.js';

export interface BuildBundleDeps extends BuildDeps, EndDeps {
  readonly logger: Logger;
}

/** Told at most this often: each time is a durable write. */
const TELL_EVERY_MS = 1_000;
const AT_REST: Outcome = { kind: 'done', change: {} };

export const storedBundle = ({ _id, ...rest }: BundleRow): StoredBundle => ({ ...rest, bundle_id: _id });

/**
 * Builds a bundle that was asked for. What it is made of is fixed first, in its row: whoever takes the build over after a
 * crash makes the same bytes, and the one that writes the seal under the lease is the only one that seals.
 */
export async function buildBundle(deps: BuildBundleDeps, row: BundleRow, lease: Lease): Promise<Outcome> {
  const bundle = storedBundle(row);
  // The seal was written, and its writer died before the queue heard of it.
  if (bundle.status !== 'REQUESTED') return AT_REST;
  try {
    const frozen = bundle.frozen ?? (await freeze(deps, bundle, lease));
    const seal = await built(deps, bundle, frozen, lease);
    await end(deps, bundle, lease, sealedChange(deps, bundle, seal));
    return AT_REST;
  } catch (error) {
    if (error instanceof LeaseLost || lease.signal.aborted) throw error;
    if (error instanceof FrozenTooEarly) return frozenAnew(deps, lease);
    const failure = failureOf(error);
    if (failure === null) throw error;
    deps.logger.warn({ ...describeUnexpected(error), bundle_id: bundle.bundle_id }, 'a bundle cannot be built');
    await end(deps, bundle, lease, failedChange(deps, bundle, failure));
    return AT_REST;
  }
}

async function freeze(deps: BuildBundleDeps, bundle: StoredBundle, lease: Lease): Promise<FrozenInputs> {
  // Another number for every freeze: what was kept for an earlier one is never taken for this one's.
  const round = deps.clock.nowMs();
  await deps.inputsOf(bundle.tenant_id, bundle.bundle_id, round).forget();
  const frozen = await freezeBuild(deps, bundle.tenant_id, bundle, round);
  await write(lease, { set: { frozen, progress: { phase: 'FREEZE', done: 1, total: 1 } } });
  return frozen;
}

async function built(deps: BuildBundleDeps, bundle: StoredBundle, frozen: FrozenInputs, lease: Lease) {
  const { tenant_id: tenantId, bundle_id } = bundle;
  const spools = deps.spools(`${bundle_id}-${lease.token.replace(/[^A-Za-z0-9]/g, '_')}`);
  const inputs = deps.inputsOf(tenantId, bundle_id, frozen.round);
  const build: Build = { bundle, tenantId, frozen, inputs, spools, tell: teller(deps, lease) };
  try {
    const rows = await rowsOf(deps, build);
    return await sealArchive(deps, build, await spoolEvents(deps, build, rows));
  } finally {
    await spools.close();
  }
}

async function frozenAnew(deps: BuildBundleDeps, lease: Lease): Promise<Outcome> {
  await write(lease, { set: { frozen: null } });
  return { kind: 'again', atMs: deps.clock.nowMs(), change: {} };
}

type Ending = ReturnType<typeof sealedChange>;

/** The commit point: one write under the lease; what follows from it is performed at once, or by the sweep. */
async function end(deps: BuildBundleDeps, bundle: StoredBundle, lease: Lease, ending: Ending): Promise<void> {
  await write(lease, ending.change);
  await deps.bundles(bundle.tenant_id).relay({ bundle, pending: ending.pending });
  await deps.inputsOf(bundle.tenant_id, bundle.bundle_id, 0).forget();
}

async function write(lease: Lease, change: RowChange): Promise<void> {
  if (!(await lease.write(change))) throw new LeaseLost('the build was taken over');
}

/** Progress for whoever polls; a build that is not ours any more ends here. */
function teller({ clock }: BuildBundleDeps, lease: Lease): TellProgress {
  // Phases of small builds pass faster than anybody polls: their writes would be most of the work.
  let toldAtMs = clock.nowMs();
  return async (phase, done, total) => {
    if (lease.signal.aborted) throw new LeaseLost('the build was told to end');
    const nowMs = clock.nowMs();
    if (nowMs - toldAtMs < TELL_EVERY_MS) return;
    toldAtMs = nowMs;
    await write(lease, { set: { progress: { phase, done, total } } });
  };
}
