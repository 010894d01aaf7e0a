import { hmacSha256 } from '../crypto/hash.js';
import type { MasterKey } from '../crypto/master-key.js';
import type { JsonObject } from '../json/strict-json.js';

// The tag of a member (docs/evidence.md section 2): headers, facts and exceptions name a member by it.

/** Returns HMAC(tenant key, "member" ‖ 0x00 ‖ member_id) in hex. */
export const memberTag = (tenantKey: Uint8Array, memberId: string): string =>
  hmacSha256(tenantKey, `member\0${memberId}`).toString('hex');

/** The tenant's key for the tags of its members. */
export const memberTagKey = (masterKey: Pick<MasterKey, 'derive'>, tenantId: string): Buffer =>
  masterKey.derive('member-tag', tenantId);

const MAX_KNOWN = 20_000;

/** Tags of the members of one tenant. Most events are of few members, so that computed tags are kept. */
export class MemberTags {
  readonly #key: Uint8Array;
  readonly #known = new Map<string, string>();

  constructor(tenantKey: Uint8Array) {
    this.#key = tenantKey;
  }

  of(memberId: string): string {
    const known = this.#known.get(memberId);
    if (known !== undefined) return known;
    const tag = memberTag(this.#key, memberId);
    if (this.#known.size >= MAX_KNOWN) this.#known.clear();
    this.#known.set(memberId, tag);
    return tag;
  }

  /** The tag of an entry, from its envelope or record; null where it names no member. */
  ofEntry({ member_id }: JsonObject): string | null {
    return typeof member_id === 'string' ? this.of(member_id) : null;
  }
}
