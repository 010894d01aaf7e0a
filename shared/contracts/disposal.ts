import type { TenantId } from '../ids/tenant.js';

// How the vault disposes of what stands in the ledger (evidence.md section 2 "Disposed"). What may go is decided in the
// vault, at its one gate; the ledger takes away what it is told to, and keeps header, chain and the explanation.

/** An event takes part in a disposal by this; it says where its header stays. */
export interface DisposedPlace {
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
}

/** An event that is past its age, and what holds are compared with. */
export interface DisposalCandidate extends DisposedPlace {
  readonly event_family: string;
  readonly member_id: string | null;
  readonly effective_at_ms: number;
  readonly recorded_at_ms: number;
  /** Name of its write-once copy: kept until that is gone, and given out nowhere. */
  readonly worm_sha256: string | null;
  /** The body of the raw message that it was read from. */
  readonly raw_sha256: string | null;
}

/** From when an age counts: from when it happened, or from the later of that and when it was recorded. */
export const COUNTS_FROM = ['EFFECTIVE', 'LATER'] as const;
export type CountsFrom = (typeof COUNTS_FROM)[number];

export interface FamilyCutoff {
  readonly before_ms: number;
  readonly counts_from: CountsFrom;
}

/** Before when an event must have happened (and, by LATER, have been recorded) to be past its age. */
export interface DisposalCutoffs {
  /** For families that are not named: counts by LATER. */
  readonly default_before_ms: number;
  /** By event_family in lower case. */
  readonly families: Readonly<Record<string, FamilyCutoff>>;
}

/** By these cutoffs. */
export function isPastAge(
  event: Pick<DisposalCandidate, 'event_family' | 'effective_at_ms' | 'recorded_at_ms'>,
  { families, default_before_ms }: DisposalCutoffs,
): boolean {
  const own = Object.hasOwn(families, event.event_family) ? families[event.event_family] : undefined;
  const { before_ms, counts_from } = own ?? { before_ms: default_before_ms, counts_from: 'LATER' };
  if (event.effective_at_ms >= before_ms) return false;
  return counts_from === 'EFFECTIVE' || event.recorded_at_ms < before_ms;
}

export interface DisposalCursor {
  readonly at_ms: number;
  readonly event_id: string;
}

export interface DisposalPlan {
  readonly candidates: readonly DisposalCandidate[];
  /** Null at the end. */
  readonly next: DisposalCursor | null;
}

/** The certificate of a disposal, as the ledger's `_system` entry says it. */
export interface DisposalOrder {
  /** Fixed before the first attempt: the entry's source_record_id. */
  readonly disposal_id: string;
  readonly at: string;
  /** Policies under which it went. */
  readonly policies: readonly string[];
  readonly events: readonly DisposedPlace[];
}

export type UnknownBodies = 'KEEP' | 'LET_GO';

export interface LedgerDisposal {
  /** Tenants that have a ledger. */
  tenantIds(): Promise<readonly TenantId[]>;
  /** Events past their age, oldest first; reserved partitions are never among them. */
  plan(
    tenantId: TenantId,
    cutoffs: DisposalCutoffs,
    after: DisposalCursor | null,
    limit: number,
  ): Promise<DisposalPlan>;
  /** Events of these members, whatever their age, oldest first; reserved partitions are never among them. */
  ofMembers(
    tenantId: TenantId,
    memberIds: readonly string[],
    after: DisposalCursor | null,
    limit: number,
  ): Promise<DisposalPlan>;
  /** What holds compare of these events; one that is not there, or disposed of, is left out. */
  facts(tenantId: TenantId, eventIds: readonly string[]): Promise<readonly DisposalCandidate[]>;
  /**
   * Writes the `_system` entry, then takes away record, seed, hash, keys and query fields of each row, and forgets the
   * events in search and links. Doing it again changes nothing.
   */
  dispose(tenantId: TenantId, order: DisposalOrder): Promise<void>;
  /**
   * Those of these bodies that an event which is not disposed of was read from, or that an exception nobody has resolved is
   * about. @param unknown what of those that no answer tells of: bodies of raw messages serve somebody, as far as can be told.
   */
  rawInUse(tenantId: TenantId, rawSha256s: readonly string[], unknown: UnknownBodies): Promise<readonly string[]>;
  /**
   * Drops sealed segments whose records have all been disposed of: what else stands in them (entries of reserved
   * partitions, checkpoints, blobs that stay) is carried over first. Each drop is written into `_system` before.
   */
  dropSegments(tenantId: TenantId, sealedBeforeMs: number): Promise<readonly string[]>;
}
