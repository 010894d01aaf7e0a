import type { DisposalOrder, DisposedPlace } from '../../../shared/contracts/disposal.js';
import { hmacSha256, sha256 } from '../../../shared/crypto/hash.js';
import type { FactDraft, FactSubject } from '../../../shared/facts/fact.js';
import { idTimeMs, ulidIds } from '../../../shared/ids/ids.js';
import { keyedRandomness } from '../../../shared/ids/work.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { QueryFields } from '../append/domain/index.js';

/** All optional members of a row: what a disposal removes (evidence.md section 2 "Disposed"). */
export const DISPOSED_MEMBERS = [
  'record',
  'seed',
  'worm_sha256',
  'fact_key',
  'duplicate_key',
  'conflicts_with',
  'from_raw',
  'query',
] as const;

/** The subject of the fact that an event is disposed of. */
export const disposalSubject = (eventId: string): FactSubject => ({ kind: 'disposal', id: eventId });

const SERVICE = { type: 'SERVICE', id: 'service:retention' } as const;

/**
 * Returns the fact that an order disposes of one of its events; the identifier follows from both, so that repeating the
 * order after a crash appends nothing twice.
 *
 * @param at time of this attempt, RFC 3339.
 */
export function disposalDraft(order: DisposalOrder, event: DisposedPlace, at: string): FactDraft {
  const { disposal_id } = order;
  const source = keyedRandomness(sha256(`${disposal_id}\0${event.event_id}`));
  return {
    fact_id: ulidIds(() => idTimeMs(disposal_id), source).next('effect'),
    subject: disposalSubject(event.event_id),
    event_family: 'retention',
    event_type: 'event.disposed',
    at,
    action: 'dispose',
    actor: SERVICE,
    previous: null,
    state: disposalState(order),
    details: { events: [{ ...event }] },
  };
}

/** The evidential fields of a disposal. */
export const disposalState = ({
  disposal_id,
  at,
  policies,
}: Pick<DisposalOrder, 'disposal_id' | 'at' | 'policies'>): JsonObject => ({
  disposal_id,
  at,
  policies: [...policies],
  removed: [...DISPOSED_MEMBERS],
});

/** Returns the disposal that a fact's state names: the `source_record_id` of its `_system` entry. */
export const disposalIdIn = ({ disposal_id }: JsonObject): string => String(disposal_id);

/** Members by which bundles select events. */
const GATHERED_BY = ['member_id', 'matter_id', 'incident_id'] as const;
type GatheredBy = (typeof GATHERED_BY)[number];

/**
 * Keeps a disposed event findable for the bundles that would have listed it, without naming anyone: HMACs, under a key
 * of the tenant, of its members. A reader with the name can query for it; a reader of the row learns no name.
 */
export class DisposalTies {
  readonly #key: Buffer;

  /** @param tenantKey the tenant's own key for this purpose. */
  constructor(tenantKey: Buffer) {
    this.#key = tenantKey;
  }

  /** Returns one hash for each of these members that the event has. */
  of(query: QueryFields): readonly string[] {
    return GATHERED_BY.flatMap((by) => {
      const name = query[by];
      return name === undefined ? [] : [this.tie(by, name)];
    });
  }

  /** @param by part of the hashed text: a member and a matter of the same name have different hashes. */
  tie(by: GatheredBy, name: string): string {
    return hmacSha256(this.#key, JSON.stringify([by, name])).toString('hex');
  }
}
