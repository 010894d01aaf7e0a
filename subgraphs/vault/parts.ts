import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import type { ReferencesOver } from '../../shared/graph/areas.js';
import type { SubgraphDefinition } from '../../shared/graph/subgraph.js';
import type { Contract } from '../../shared/graph/validator.js';
import type { EffectRelay } from '../../shared/outbox/outbox.js';
import type { DeclaredCollection } from '../../shared/records/collections.js';
import type { MetricGauge } from '../../shared/telemetry/metrics.js';
import type { AttachDeps, DocumentStore } from './documents/index.js';
import type { RedactionStore } from './redactions/index.js';
import type { GateParts } from './retention/index.js';
import type { ScanParts } from './scan/index.js';
import type { TextStore } from './search/index.js';

/** Shared parts of the areas, made once by the root. */
export interface VaultParts extends GateParts, ScanParts, Pick<AttachDeps, 'refuseLessHeld'> {
  readonly deps: SubgraphDeps;
  readonly documents: DocumentStore;
  readonly redactions: RedactionStore;
  /** The ledger's facts. */
  readonly facts: FactGuard;
  readonly texts: TextStore;
  readonly contract: Contract;
  /** Performs the pending effects of `collectionsWithEffects`. */
  readonly outbox: EffectRelay;
}

/** One area of the subgraph: its part of the graph, its collections, and the function that starts it. */
export interface VaultArea extends Pick<SubgraphDefinition, 'contractTypes' | 'stateMachines'> {
  readonly resolvers: Exclude<SubgraphDefinition['resolvers'], string>;
  /** Collections with rows that carry pending effects (design.md decision 5). */
  readonly collectionsWithEffects?: readonly DeclaredCollection[];
  readonly collections?: readonly DeclaredCollection[];
  /** See Area.references. */
  readonly references?: ReferencesOver<VaultParts>;
  /** Gauges of the whole deployment. */
  readonly gauges?: (parts: VaultParts) => readonly MetricGauge[];
  /** Creates the resolvers. The area registers its background work with `deps.jobs`. */
  readonly wire: (parts: VaultParts) => readonly object[] | Promise<readonly object[]>;
}
