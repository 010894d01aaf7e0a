import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { MemberDirectory } from '../../../shared/contracts/members.js';
import type { BackgroundWork } from '../../../shared/graph/subgraph.js';
import type { Contract } from '../../../shared/graph/validator.js';
import type { Outbox } from '../../../shared/outbox/outbox.js';
import type { Figure } from '../../../shared/telemetry/figures.js';
import type { MetricGauge } from '../../../shared/telemetry/metrics.js';
import type { MembersEffect } from '../service/ports/member-effects.js';

/** What the areas of this subgraph stand on together; made once by the door. */
export interface MembersParts {
  readonly deps: SubgraphDeps;
  readonly directory: MemberDirectory;
  readonly contract: Contract;
  /** Performs what a write has left in `pending`; the collection must stand in the door's list. */
  readonly outbox: Outbox<MembersEffect>;
}

/** One area of the subgraph put together. Its work beside requests is registered with `deps.jobs` on the way. */
export interface WiredArea {
  /** Resolver class and the instance that answers for it. */
  readonly resolvers: readonly (readonly [resolver: unknown, instance: unknown])[];
  /** Of the whole deployment. */
  readonly gauges?: readonly MetricGauge[];
  /** What it counts in this process. */
  readonly figures?: () => readonly Figure[];
  /** Work of its own that must run without a pause; see Subgraph.background. */
  readonly background?: () => BackgroundWork;
  /** Ends what the area holds open. */
  readonly close?: () => Promise<void>;
}

export type WireArea = (parts: MembersParts) => WiredArea | Promise<WiredArea>;
