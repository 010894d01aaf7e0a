import type { SubgraphDeps } from '../../shared/contracts/deps.js';
import type { FactGuard } from '../../shared/facts/guard.js';
import type { Area, WiredArea } from '../../shared/graph/areas.js';
import type { Contract } from '../../shared/graph/validator.js';
import type { EffectRelay } from '../../shared/outbox/outbox.js';
import type {
  AppendSignal,
  DuplicateReporter,
  IngestDeps,
  LedgerStore,
  NoticeStore,
  TenantContexts,
} from './append/index.js';
import type { ExceptionOpener, ExceptionStore, OpenExceptions } from './exceptions/index.js';
import type { RecentRows } from './followers/index.js';
import type { StateFacts } from './integrity/index.js';
import type { RedactionStore } from './redactions/index.js';
import type { RequireProven, RowDisposals, RowProofs } from './row-proofs/index.js';
import type { StateMapParts } from './state-map/index.js';
import type { ProvenEntries, TreeStore } from './transparency/index.js';

/** Services and stores that all areas share; the root creates them once. */
export interface LedgerParts {
  readonly deps: SubgraphDeps;
  readonly store: LedgerStore;
  readonly contexts: TenantContexts;
  /** Trees and checkpoints; a damaged checkpoint opens an exception. */
  readonly trees: TreeStore;
  readonly openExceptions: OpenExceptions;
  readonly exceptionQueue: { readonly exceptions: ExceptionStore; readonly opener: ExceptionOpener };
  /** Signals appends of this process; see consume-ledger.ts. */
  readonly appended: AppendSignal;
  /** Rows that this process appended recently. */
  readonly recent: RecentRows;
  /** Reports repeated events to webhooks. */
  readonly duplicates: { readonly notices: NoticeStore; readonly reporter: DuplicateReporter };
  /** Everything that an append needs. */
  readonly ingest: IngestDeps;
  /** Fields of events that are hidden from readers without `documents:unredacted`. */
  readonly redactions: RedactionStore;
  /** Facts of the ledger's own records, and the report of rows that they contradict. */
  readonly facts: FactGuard;
  /** Facts for verification. */
  readonly stateFacts: (tenantId: string) => StateFacts;
  /** Verifies rows of the ledger against facts and tree before they are shown. */
  readonly rowProofs: RowProofs;
  readonly rowDisposals: RowDisposals;
  /** Compares entries of the service's own partitions with the signed tree. */
  readonly provenEntries: ProvenEntries;
  readonly requireProven: RequireProven;
  readonly stateMap: StateMapParts;
  readonly contract: Contract;
  /** Performs the effects in `pending`; the area must list its collection in `collectionsWithEffects`. */
  readonly outbox: EffectRelay;
}

export type WireArea = (parts: LedgerParts) => WiredArea | Promise<WiredArea>;

/** One area of the subgraph: its part of the graph, and the function that starts it. */
export interface LedgerArea extends Area<LedgerParts> {
  /** Collections with documents that carry pending effects (design.md decision 5). */
  readonly collectionsWithEffects?: readonly string[];
  readonly wire: WireArea;
}
