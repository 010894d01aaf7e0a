import { type Commitments, Committer, SEED_BYTES } from '../../../shared/evidence/commitments.js';
import type { MemberTags } from '../../../shared/evidence/member-tag.js';
import { buildRecord } from '../../../shared/evidence/record.js';
import type { Ids, Randomness } from '../../../shared/ids/ids.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { type DuplicateKeys, uniqueKeysOf } from './domain/duplicate-key.js';
import { type QueryFields, queryFieldsOf, type RowMarks } from './domain/ledger-row.js';

/** An event prepared outside the partition's queue: everything that does not depend on its place in the chain. */
export interface PreparedEvent extends Commitments, RowMarks {
  readonly event_id: string;
  readonly member_tag: string | null;
  readonly source_system: string;
  /**
   * Its caller gave the identifier, so a second attempt in the same millisecond makes the same record under another seed.
   * The write-once store keeps one record a hash: only the attempt whose row is stored may copy its own.
   */
  readonly repeatable: boolean;
  readonly record: Buffer;
  readonly seed: Buffer;
  readonly fact_key: string;
  readonly duplicate_key: string;
  readonly query: QueryFields;
}

export interface EventPreparer {
  /**
   * @param omitTime see buildRecord. The envelope must be valid.
   * @param ids source of its identifier, if another attempt would get the same one from it.
   */
  prepare(envelope: JsonObject, receivedAt: string, omitTime?: boolean, ids?: Ids): PreparedEvent;
}

/** Keyed hashes of one tenant. */
interface EntryKeying {
  readonly duplicateKeys: DuplicateKeys;
  readonly memberTags: MemberTags;
}

interface PreparerDeps {
  readonly ids: Ids;
  readonly randomness: Randomness;
}

export function eventPreparer(
  deps: PreparerDeps,
  tenantId: string,
  { duplicateKeys, memberTags }: EntryKeying,
): EventPreparer {
  const committer = new Committer();
  return {
    prepare(envelope, receivedAt, omitTime = false, ids) {
      const event_id = (ids ?? deps.ids).next('event');
      const built = buildRecord(envelope, { event_id, tenant_id: tenantId, received_at: receivedAt }, omitTime);
      const record = Buffer.from(built.text);
      const seed = Buffer.allocUnsafe(SEED_BYTES);
      deps.randomness.fill(seed);
      const query = queryFieldsOf(envelope);
      const effectiveAtMs = omitTime ? null : query.effective_at.getTime();
      const made = committer.commit(seed, record, built.leaves);
      return {
        commit: made.commit,
        fields: made.fields,
        worm_sha256: made.worm_sha256,
        event_id,
        member_tag: memberTags.ofEntry(envelope),
        source_system: String(envelope['source_system']),
        repeatable: ids !== undefined,
        record,
        seed,
        ...uniqueKeysOf(duplicateKeys, {
          members: envelope,
          sent: built.sent,
          eventType: query.event_type,
          effectiveAtMs,
        }),
        query,
      };
    },
  };
}
