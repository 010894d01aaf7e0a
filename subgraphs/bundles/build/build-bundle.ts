import type { Lease, Outcome, QueueSpec, RowChange } from '../../../shared/jobs/work-queue.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import {
  type BuildStepDeps,
  type BundleRow,
  type FrozenInputs,
  failBundle,
  type StoredBundle,
  sealBundle,
} from '../bundles/index.js';
import type { Build, BuildDeps, ReportProgress } from './build-deps.js';
import { FrozenTooEarly, LeaseLost } from './build-deps.js';
import { failureOf } from './build-failure.js';
import { freezeBuild } from './freeze-build.js';
import { sealArchive } from './seal-archive.js';
import { rowsOf } from './select-rows.js';
import { spoolEvents } from './spool-events.js';

interface BuildBundleDeps extends BuildDeps, BuildStepDeps {
  readonly logger: Logger;
}

/** Progress is a durable write, at most this often. */
const PROGRESS_EVERY_MS = 1_000;
const NOTHING_TO_DO: Outcome = { kind: 'done', change: {} };

/**
 * Builds a requested bundle.
 * The row stores the inputs first, so that a worker that takes over after a crash makes the same bytes. Of two workers
 * that seal, the first fact decides.
 */
async function buildBundle(deps: BuildBundleDeps, row: BundleRow, lease: Lease): Promise<Outcome> {
  const bundle = await deps.bundles(row.tenant_id).get(row._id);
  // The previous holder wrote the seal, and died before the queue recorded the end.
  if (bundle?.status !== 'REQUESTED') return ended(deps, row);
  try {
    const frozen = bundle.frozen ?? (await freeze(deps, bundle, lease));
    const seal = await built(deps, bundle, frozen, lease);
    const announced = await deps.bundles(bundle.tenant_id).get(bundle.bundle_id);
    if (announced?.status !== 'REQUESTED') return ended(deps, row);
    requireHeld(await sealBundle(deps, announced, seal));
    return ended(deps, row);
  } catch (error) {
    if (error instanceof LeaseLost || lease.signal.aborted) throw error;
    if (error instanceof FrozenTooEarly) return freezeAgain(deps, lease);
    const failure = failureOf(error);
    if (failure === null) throw error;
    deps.logger.warn({ ...describeUnexpected(error), bundle_id: bundle.bundle_id }, 'a bundle build failed');
    const failing = (await deps.bundles(bundle.tenant_id).get(bundle.bundle_id)) ?? bundle;
    requireHeld(await failBundle(deps, failing, failure));
    return ended(deps, row);
  }
}

async function freeze(deps: BuildBundleDeps, bundle: StoredBundle, lease: Lease): Promise<FrozenInputs> {
  // A new round for every freeze: inputs of an earlier freeze are never reused.
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
  const build: Build = { bundle, tenantId, frozen, inputs, spools, reportProgress: progressWriter(deps, lease) };
  try {
    const rows = await rowsOf(deps, build);
    return await sealArchive(deps, build, await spoolEvents(deps, build, rows));
  } finally {
    await spools.close();
  }
}

async function freezeAgain(deps: BuildBundleDeps, lease: Lease): Promise<Outcome> {
  await write(lease, { set: { frozen: null } });
  return { kind: 'again', atMs: deps.clock.nowMs(), change: {} };
}

/** Deletes the inputs of a build that has ended, and releases its map. */
async function ended(deps: BuildBundleDeps, { tenant_id, _id }: BundleRow): Promise<Outcome> {
  await deps.inputsOf(tenant_id, _id, 0).forget();
  await deps.stateMaps.release(tenant_id, _id);
  return NOTHING_TO_DO;
}

/** @throws LeaseLost if the lease was lost before the last step */
function requireHeld(bundle: StoredBundle | null): void {
  if (bundle === null) throw new LeaseLost(TAKEN_OVER);
}

const TAKEN_OVER = 'the build was taken over';

async function write(lease: Lease, change: RowChange): Promise<void> {
  if (!(await lease.write(change))) throw new LeaseLost(TAKEN_OVER);
}

/** Writes progress for polling clients. Ends a build that lost its lease. */
function progressWriter({ clock }: BuildBundleDeps, lease: Lease): ReportProgress {
  // Phases of small builds pass faster than clients poll; their writes would be most of the work.
  let writtenAtMs = clock.nowMs();
  return async (phase, done, total) => {
    if (lease.signal.aborted) throw new LeaseLost('the build was cancelled');
    const nowMs = clock.nowMs();
    if (nowMs - writtenAtMs < PROGRESS_EVERY_MS) return;
    writtenAtMs = nowMs;
    await write(lease, { set: { progress: { phase, done, total } } });
  };
}

/** Every build holds its manifest in memory. */
const CONCURRENCY = 2;
const IN_FLIGHT_OF_TENANT = 2;

const GIVEN_UP = {
  code: 'BUILD_GIVEN_UP',
  message: 'The build failed repeatedly; see the log for the cause.',
} as const;

/** The queue of builds. Tenants alternate, so that none delays the bundles of another. */
export const buildQueue = (deps: BuildBundleDeps, collection: string, leaseMs: number): QueueSpec<BundleRow> => ({
  name: 'bundles.build',
  description: 'Builds requested evidence bundles.',
  collection,
  groupField: 'tenant_id',
  concurrency: CONCURRENCY,
  limits: { maxInFlight: IN_FLIGHT_OF_TENANT },
  leaseMs,
  handle: (row, lease) => buildBundle(deps, row, lease),
  poison: async (row) => {
    const bundle = await deps.bundles(row.tenant_id).get(row._id);
    if (bundle?.status === 'REQUESTED') await failBundle(deps, bundle, GIVEN_UP);
    await ended(deps, row);
    return {};
  },
});
