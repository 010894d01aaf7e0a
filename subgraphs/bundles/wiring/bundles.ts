import { tmpdir } from 'node:os';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { archiveStore } from '../adapters/archive-store.js';
import { ArchiveThread } from '../adapters/archive-thread.js';
import { verifyArchive } from '../adapters/archive-verifier.js';
import { generatorFacts } from '../adapters/package-facts.js';
import { Spools } from '../adapters/spool.js';
import { verifierFiles } from '../adapters/verifier-files.js';
import type { BundleScope } from '../domain/bundle-scope.js';
import { mongoBuildInputs } from '../model/build-inputs.js';
import { BUNDLE_COLLECTION } from '../model/bundle-model.js';
import { matterStore } from '../model/matter-repository.js';
import { mongoSealedArchives } from '../model/sealed-archives.js';
import { BundleOrdersResolver } from '../resolvers/bundle-orders-resolver.js';
import { BundleReadsResolver } from '../resolvers/bundle-reads-resolver.js';
import { BundleResolver } from '../resolvers/bundle-resolver.js';
import { SealedArchivesResolver } from '../resolvers/sealed-archives-resolver.js';
import { TimelineResolver } from '../resolvers/timeline-resolver.js';
import { buildQueue } from '../service/build-queue.js';
import type { BundlePurpose } from '../service/ports/bundle-store.js';
import { matterScopeOver } from '../service/read-matters.js';
import { refuseMinimal } from '../service/refuse-minimal.js';
import type { WireArea } from './parts.js';

/** Bundles: requests, the builds behind them, and what is read of them. */
export const wireBundles: WireArea = async ({ deps, bundles, outbox }) => {
  const { db } = deps.database;
  const { maxEvents, leaseMs, spoolDir } = deps.config.bundles;
  const thread = new ArchiveThread({ ...deps, place: deps.worm.blobPlace });
  const building = {
    ...deps,
    bundles,
    matterScope: matterScopeOver({ matters: matterStore(db, outbox) }),
    membersOf: async (tenantId: TenantId, memberId: string) =>
      (await deps.memberDirectory.identityOf(tenantId, memberId))?.member_ids ?? [],
    inputsOf: mongoBuildInputs(db),
    spools: (name: string) => new Spools(spoolDir ?? tmpdir(), name),
    archives: archiveStore(deps.worm, thread),
    verifierFiles: verifierFiles(),
    maxEvents,
    generator: generatorFacts(),
  };
  const queue = await deps.jobs.queue(buildQueue(building, BUNDLE_COLLECTION, leaseMs));
  const services = {
    ...building,
    queue: () => queue,
    refuseMinimal: (tenantId: TenantId, scope: BundleScope, consent: BundlePurpose | null) =>
      refuseMinimal(building, tenantId, scope, consent),
  };
  return {
    resolvers: [
      [BundleResolver, new BundleResolver(services)],
      [BundleOrdersResolver, new BundleOrdersResolver(services)],
      [TimelineResolver, new TimelineResolver({ ...deps, bundles })],
      [SealedArchivesResolver, new SealedArchivesResolver(mongoSealedArchives(db))],
      [BundleReadsResolver, new BundleReadsResolver({ ...deps, bundles, verifyArchive })],
    ],
    close: () => thread.close(),
  };
};
