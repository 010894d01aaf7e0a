import type { QueueSpec } from '../../../shared/jobs/work-queue.js';
import { type BuildBundleDeps, buildBundle, storedBundle } from './build-bundle.js';
import { failedChange } from './build-outcome.js';
import type { BundleRow } from './ports/bundle-store.js';

/** A build holds its manifest in memory. */
const CONCURRENCY = 2;
const IN_FLIGHT_OF_TENANT = 2;

const GIVEN_UP = {
  code: 'BUILD_GIVEN_UP',
  message: 'The build was tried several times and never came to its end; the log says why.',
} as const;

/** Builds as work: tenants take turns, so that none holds up another's bundles. */
export const buildQueue = (deps: BuildBundleDeps, collection: string, leaseMs: number): QueueSpec<BundleRow> => ({
  name: 'bundles.build',
  description: 'Builds evidence bundles that were asked for.',
  collection,
  groupField: 'tenant_id',
  concurrency: CONCURRENCY,
  limits: { maxInFlight: IN_FLIGHT_OF_TENANT },
  leaseMs,
  handle: (row, lease) => buildBundle(deps, row, lease),
  poison: (row) => (row.status === 'REQUESTED' ? failedChange(deps, storedBundle(row), GIVEN_UP).change : {}),
});
