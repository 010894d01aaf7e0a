import { hmacSha256 } from '../../../shared/crypto/hash.js';
import type { QueryFields } from './ledger-row.js';

/** What bundles gather events by. */
const GATHERED_BY = ['member_id', 'matter_id', 'incident_id'] as const;
type GatheredBy = (typeof GATHERED_BY)[number];

/**
 * What keeps a disposed event findable for the bundles that would have listed it, and names nobody: the HMAC, under a key of
 * the tenant's, of what it was gathered by. Whoever has the name can ask for it; whoever has the row learns no name.
 */
export class DisposalTies {
  readonly #key: Buffer;

  /** @param tenantKey the tenant's own key for this purpose. */
  constructor(tenantKey: Buffer) {
    this.#key = tenantKey;
  }

  /** One for each name that the event carries. */
  of(query: QueryFields): readonly string[] {
    return GATHERED_BY.flatMap((by) => {
      const name = query[by];
      return name === undefined ? [] : [this.tie(by, name)];
    });
  }

  /** @param by part of what is hashed: a member and a matter of one name have different ties. */
  tie(by: GatheredBy, name: string): string {
    return hmacSha256(this.#key, JSON.stringify([by, name])).toString('hex');
  }
}
