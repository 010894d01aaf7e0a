import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { memberTag, memberTagKey } from '../../../shared/evidence/member-tag.js';
import type { TenantId } from '../../../shared/ids/tenant.js';

/** What the ledger and exceptions call a member: they hold nothing personal, so that a keyed hash refers to the member. */
export type MemberReference = (tenantId: TenantId, memberId: string) => string;

export const memberReference =
  (masterKey: MasterKey): MemberReference =>
  (tenantId, memberId) =>
    memberTag(memberTagKey(masterKey, tenantId), memberId);
