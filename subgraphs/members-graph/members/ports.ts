import type { ChainHead } from '../../../shared/contracts/ledger-feed.js';
import type { ListWindow } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { Effect, PendingEffect } from '../../../shared/outbox/pending-effect.js';
import type { FactStep } from '../../../shared/records/row-facts.js';
import type { Demographics, MemberAction, MemberStatus, OwnStatus } from './domain/member.js';
import type { MergeEntry, MergeLinks } from './domain/merges.js';

/** A member of the directory, as stored. */
export interface StoredMember extends Demographics {
  readonly tenant_id: TenantId;
  readonly member_id: string;
  /** Status without merges; a merged record is MERGED regardless. */
  readonly own_status: OwnStatus;
  /** Direct target of the merge. */
  readonly merged_into: string | null;
  readonly revision: number;
  readonly created_at: Date;
  /** Key that created it; `service:members` for the ledger. */
  readonly created_by: string;
  readonly updated_at: Date;
  /** Time of the newest data: an earlier event fills gaps only. */
  readonly told_at: Date | null;
  /** Event of the newest data; null for a change by a caller. Orders events of the same time. */
  readonly told_event: string | null;
  /** Work ids of the creating and the last changing request; a repeated request finds its work done. */
  readonly created_work_id: string | null;
  readonly last_work_id: string | null;
}

/** The members of a record that matching reads. */
export type MemberSketch = Demographics & Pick<StoredMember, 'member_id'>;

/** Key of changes that come from the ledger. */
export const LEDGER_KEY = 'service:members';

export const statusOf = ({ own_status, merged_into }: StoredMember): MemberStatus =>
  merged_into === null ? own_status : 'MERGED';

/** One change of a member. */
export interface MemberChange {
  readonly member_id: string;
  /** Revision after the change; null for a merge, which changes no record. */
  readonly revision: number | null;
  readonly action: MemberAction;
  readonly from: MemberStatus | null;
  readonly to: MemberStatus;
  /** Changed members with their previous values. */
  readonly before: Readonly<Record<string, unknown>>;
  /** Event that caused the change. */
  readonly event_id: string | null;
  /** Other member of a merge. */
  readonly other_member_id: string | null;
  /** Reason given by the caller. */
  readonly reason: string | null;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
}

/** Stores a change in the history, which is separate because searches read records without it. */
interface KeepChangeEffect extends Effect {
  readonly kind: 'keep-member-change';
  readonly tenant_id: TenantId;
  readonly change: MemberChange;
}

/** Writes the current merge of a member into its record (show-merge.ts). */
interface ShowMergeEffect extends Effect {
  readonly kind: 'show-merge';
  readonly tenant_id: TenantId;
  readonly member_id: string;
}

export type MemberEffect = PendingEffect | KeepChangeEffect | ShowMergeEffect;

export interface MemberQuery extends ListWindow {
  readonly where: {
    readonly status?: MemberStatus | undefined;
    readonly program?: string | undefined;
    readonly jurisdiction?: string | undefined;
  };
}

export interface MemberWrite {
  readonly member: StoredMember;
  /** Keys that find the member. */
  readonly keys: readonly string[];
  readonly pending: readonly MemberEffect[];
}

/** Members of one tenant. */
export interface TenantMembers {
  get(memberId: string): Promise<StoredMember | null>;
  /** Returns the existing members, unordered. */
  many(memberIds: readonly string[]): Promise<readonly StoredMember[]>;
  /** True if the directory has members that did not come from the ledger. */
  hasOwnMembers(): Promise<boolean>;
  /** Returns up to `limit + 1` members in order. */
  list(query: MemberQuery): Promise<readonly StoredMember[]>;
  /**
   * Returns members with any of these keys, unordered.
   *
   * @param parts members of the record to read; the others look unknown
   */
  findByKeys(
    keys: readonly string[],
    limit: number,
    parts?: readonly (keyof Demographics)[],
  ): Promise<readonly MemberSketch[]>;
  /** Counts the members with a key, up to `most`. */
  countHolders(key: string, most: number): Promise<number>;
  /** Returns a page of all members by member_id. */
  after(memberId: string, limit: number): Promise<readonly StoredMember[]>;
  count(): Promise<number>;
  /** Commits a new member and performs the effects. Durable when it resolves. @returns false if the identifier is taken */
  insert(write: MemberWrite): Promise<boolean>;
  /** Commits a change and performs the effects. @returns false if the member has another revision */
  replace(write: MemberWrite, revision: number): Promise<boolean>;
}

export type MemberStore = (tenantId: TenantId) => TenantMembers;

/** The facts of a merge, fixed before the first attempt. */
export interface MergeSteps {
  /** The fact of the tenant's order. */
  readonly order: FactStep;
  /** The fact of the merged record, which commits the merge. */
  readonly source: FactStep;
  readonly target: FactStep;
}

/** An entry of the log with its facts and effects. */
export interface MergeWrite {
  readonly entry: MergeEntry;
  readonly steps: MergeSteps;
  readonly pending: readonly MemberEffect[];
}

/** The merges of one tenant, as facts prove them: numbered, in one order. */
export interface TenantMerges {
  /**
   * Commits an entry and performs its effects. Durable when it resolves. Decides again when another entry was first.
   *
   * @param decide the entry with this number; null for none
   */
  change(decide: (number: number) => Promise<MergeWrite | null>): Promise<void>;
  /** Returns entries after a number, oldest first. @throws INTEGRITY_FAILURE */
  after(number: number, limit: number): Promise<readonly MergeEntry[]>;
  /** Returns every entry that names one of these members, oldest first. @throws INTEGRITY_FAILURE */
  naming(memberIds: readonly string[]): Promise<readonly MergeEntry[]>;
  /**
   * Compares `merged_into` of records with the links. Read the records before the links.
   *
   * @throws INTEGRITY_FAILURE for a record that claims another merge
   */
  requireShown(members: readonly Pick<StoredMember, 'member_id' | 'merged_into'>[], links: MergeLinks): Promise<void>;
}

export type MergeStore = (tenantId: TenantId) => TenantMerges;

export interface KeptChange extends MemberChange {
  readonly change_id: string;
}

/** The history of members of one tenant. */
interface TenantChanges {
  /** Idempotent. */
  keep(changeId: string, change: MemberChange): Promise<void>;
  /** Returns up to `limit + 1` changes in order. */
  list(memberId: string, query: ListWindow): Promise<readonly KeptChange[]>;
}

export type ChangeStore = (tenantId: TenantId) => TenantChanges;

/** Positions in the ledger up to which the directory is updated, by tenant and chain. */
export interface FeedCursors {
  of(tenantId: TenantId): Promise<readonly ChainHead[]>;
  /** Never moves a position back. */
  advance(tenantId: TenantId, heads: readonly ChainHead[]): Promise<void>;
}

/** A member that an event names but the directory does not have; an exception is open. */
interface UnknownMember {
  readonly member_id: string;
  readonly event_id: string;
}

interface TenantUnknowns {
  /** Returns those of these members that are unknown. */
  among(memberIds: readonly string[]): Promise<ReadonlySet<string>>;
  add(unknown: UnknownMember): Promise<void>;
  remove(memberId: string): Promise<void>;
  /** Returns up to `limit` unknown members after this one, by member_id. */
  after(memberId: string, limit: number): Promise<readonly string[]>;
}

export type UnknownStore = (tenantId: TenantId) => TenantUnknowns;
