import type { ListWindow } from '../../../../shared/db/keyset.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import type { Demographics, MemberAction, MemberStatus, OwnStatus } from '../../domain/members/member.js';
import type { MembersEffect } from './member-effects.js';

/** What is known of a member, and where it came from last. */
export interface StoredMember extends Demographics {
  readonly tenant_id: TenantId;
  readonly member_id: string;
  /** Its own; a record that is merged is MERGED whatever this says. */
  readonly own_status: OwnStatus;
  /** The one that it was merged into, at once and not at the end of a chain. */
  readonly merged_into: string | null;
  readonly revision: number;
  readonly created_at: Date;
  /** The key; `service:members` where the ledger told of them. */
  readonly created_by: string;
  readonly updated_at: Date;
  /** Until when what is known of them was told: an event that took effect before fills in gaps alone. */
  readonly told_at: Date | null;
  /** The event that told it; null where somebody did by hand. Of two of one time the later one counts, however often they come. */
  readonly told_event: string | null;
  /** Of the request that made it, and of the one that changed it last: run again, either finds its work done. */
  readonly created_work_id: string | null;
  readonly last_work_id: string | null;
}

/** What matching sees of a member. */
export type MemberSketch = Demographics & Pick<StoredMember, 'member_id'>;

/** Who writes what the ledger tells. */
export const LEDGER_KEY = 'service:members';

export const statusOf = ({ own_status, merged_into }: StoredMember): MemberStatus =>
  merged_into === null ? own_status : 'MERGED';

/** One step of a member's record. */
export interface MemberChange {
  readonly member_id: string;
  /** That it made; null for a merge, which changes no record. */
  readonly revision: number | null;
  readonly action: MemberAction;
  readonly from: MemberStatus | null;
  readonly to: MemberStatus;
  /** Members of the record that changed, and what they were. */
  readonly before: Readonly<Record<string, unknown>>;
  /** The event that told of it. */
  readonly event_id: string | null;
  /** Of a merge and its undoing: with whom. */
  readonly other_member_id: string | null;
  /** Why, as the caller stated it. */
  readonly reason: string | null;
  readonly at: Date;
  readonly by: string;
  readonly actor_id: string | null;
  readonly work_id: string | null;
}

export interface MemberQuery extends ListWindow {
  readonly status?: MemberStatus | undefined;
  readonly program?: string | undefined;
  readonly jurisdiction?: string | undefined;
}

export interface MemberWrite {
  readonly member: StoredMember;
  /** Keys that the member is found by. */
  readonly keys: readonly string[];
  readonly pending: readonly MembersEffect[];
}

/** Members of one tenant. */
export interface TenantMembers {
  get(memberId: string): Promise<StoredMember | null>;
  /** Those that there are, in no particular order. */
  many(memberIds: readonly string[]): Promise<readonly StoredMember[]>;
  /** Whether anybody put members into the directory but the ledger. */
  isKept(): Promise<boolean>;
  /** Up to `limit + 1` members in order. */
  list(query: MemberQuery): Promise<readonly StoredMember[]>;
  /**
   * Those that stand under any of these keys, in no particular order. Where parts are named, the others are not read, and
   * look as if nothing were known.
   */
  under(
    keys: readonly string[],
    limit: number,
    parts?: readonly (keyof Demographics)[],
  ): Promise<readonly MemberSketch[]>;
  /** How many stand under a key, counted no further than `most`. */
  holders(key: string, most: number): Promise<number>;
  /** All of them by member_id, a page at a time. */
  after(memberId: string, limit: number): Promise<readonly StoredMember[]>;
  count(): Promise<number>;
  /** False when the identifier is taken. Durable when it resolves. */
  insert(write: MemberWrite): Promise<boolean>;
  /** False when the member is no longer at this revision. */
  replace(write: MemberWrite, revision: number): Promise<boolean>;
  /** Performs what a write has left behind. */
  relay(write: MemberWrite): Promise<void>;
}

export type MemberStore = (tenantId: TenantId) => TenantMembers;
