import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import type { Area } from '../../shared/graph/areas.js';
import type { Outbox } from '../../shared/outbox/outbox.js';
import type { BuildParts } from './build/index.js';
import type { BundleEffect, BundleStore } from './bundles/index.js';
import type { LinkStore } from './links/index.js';
import type { MatterStore } from './matters/index.js';

/** Shared parts of the areas, made once by the root. */
export interface BundleParts extends BuildParts {
  readonly deps: SubgraphDeps;
  readonly bundles: BundleStore;
  readonly links: LinkStore;
  readonly matters: MatterStore;
  readonly outbox: Outbox<BundleEffect>;
  readonly facts: FactGuard;
}

export type BundlesArea = Area<BundleParts>;
