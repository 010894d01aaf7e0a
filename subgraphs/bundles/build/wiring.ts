import { tmpdir } from 'node:os';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { WorkQueue } from '../../../shared/jobs/work-queue.js';
import { ArchiveThread, archiveStore, Spools } from '../archive/index.js';
import type { RequestDeps } from '../bundles/index.js';
import { BUNDLES } from '../bundles/index.js';
import { matterScopeOver } from '../matters/index.js';
import type { BundleParts, BundlesArea } from '../parts.js';
import { generatorFacts, verifierFiles } from './adapter.js';
import { announcer } from './announce-seal.js';
import { buildQueue } from './build-bundle.js';
import { mongoBuildInputs } from './model.js';
import { rejectMinimal } from './reject-minimal.js';
import { rejectUnknownMatter } from './reject-unknown-matter.js';

/** What other areas use of the builds. */
export interface BuildParts extends Pick<RequestDeps, 'rejectMinimal' | 'rejectUnknownMatter'> {
  readonly buildQueue: WorkQueue;
  readonly closeBuilds: () => Promise<void>;
}

/** Starts the queue of builds. */
export async function buildParts({
  deps,
  bundles,
  matters,
}: Pick<BundleParts, 'deps' | 'bundles' | 'matters'>): Promise<BuildParts> {
  const { db } = deps.database;
  const { maxEvents, leaseMs, spoolDir } = deps.config.bundles;
  const thread = new ArchiveThread({ ...deps, place: deps.worm.blobPlace });
  const building = {
    ...deps,
    bundles,
    matterScope: matterScopeOver({ matters }),
    membersOf: async (tenantId: TenantId, memberId: string) =>
      (await deps.memberDirectory.identityOf(tenantId, memberId))?.member_ids ?? [],
    inputsOf: mongoBuildInputs(db),
    spools: (name: string) => new Spools(spoolDir ?? tmpdir(), name),
    archives: archiveStore(deps.worm, thread),
    verifierFiles: verifierFiles(),
    announceSeal: announcer({ ...deps, bundles }),
    maxEvents,
    generator: generatorFacts(),
  };
  return {
    buildQueue: await deps.jobs.queue(buildQueue(building, BUNDLES.name, leaseMs)),
    rejectMinimal: (...request) => rejectMinimal(building, ...request),
    rejectUnknownMatter: (...request) => rejectUnknownMatter(building, ...request),
    closeBuilds: () => thread.close(),
  };
}

/** Builds have no fields of the graph: other areas start them and read their bundles. */
export const buildArea: BundlesArea = { wire: ({ closeBuilds }) => ({ close: closeBuilds }) };
