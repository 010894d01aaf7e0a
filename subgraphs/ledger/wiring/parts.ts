import type { SubgraphDeps } from '../../../shared/contracts/deps.js';
import type { BackgroundWork } from '../../../shared/graph/subgraph.js';
import type { Contract } from '../../../shared/graph/validator.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { Figure } from '../../../shared/telemetry/figures.js';
import type { MetricGauge } from '../../../shared/telemetry/metrics.js';
import type { AppendSignal } from '../service/append-signal.js';
import type { ExceptionEffects } from '../service/exception-effects.js';
import type { IngestDeps } from '../service/ingest-events.js';
import type { OpenExceptions } from '../service/open-exception.js';
import type { ExceptionStore } from '../service/ports/exception-store.js';
import type { LedgerStore } from '../service/ports/ledger-store.js';
import type { NoticeStore } from '../service/ports/notice-store.js';
import type { RedactionStore } from '../service/ports/redaction-store.js';
import type { RecentRows } from '../service/recent-rows.js';
import type { DuplicateTeller } from '../service/tell-duplicates.js';
import type { TenantContexts } from '../service/tenant-context.js';

/** What the areas of this subgraph stand on together; made once by the door. */
export interface LedgerParts {
  readonly deps: SubgraphDeps;
  readonly store: LedgerStore;
  readonly contexts: TenantContexts;
  readonly openExceptions: OpenExceptions;
  readonly exceptionQueue: { readonly exceptions: ExceptionStore; readonly effects: ExceptionEffects };
  /** Tells what is appended in this process; see consume-ledger.ts. */
  readonly appended: AppendSignal;
  /** What was appended in this process a moment ago. */
  readonly recent: RecentRows;
  /** What requests repeated, on its way to receivers of webhooks. */
  readonly duplicates: { readonly notices: NoticeStore; readonly teller: DuplicateTeller };
  /** Everything that an append needs. */
  readonly ingest: IngestDeps;
  /** What is hidden of events from readers without `documents:unredacted`. */
  readonly redactions: RedactionStore;
  readonly contract: Contract;
  /** Performs what a write has left in `pending`; the collection must stand in the door's list. */
  readonly outbox: EffectRelay;
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

export type WireArea = (parts: LedgerParts) => WiredArea | Promise<WiredArea>;
