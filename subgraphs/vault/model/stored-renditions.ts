import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { StoredRendition, StoredRenditions } from '../service/ports/stored-renditions.js';
import { REDACTION_COLLECTION, type RedactionRow } from './redaction-model.js';

const BATCH = 500;

type Found = Pick<RedactionRow, '_id' | 'subject' | 'stored'>;

const PROJECTION = { subject: 1, stored: 1 } as const;

/** Which contents were stored for which redaction, in the redaction's own row. */
export function mongoStoredRenditions(db: Db): (tenantId: TenantId) => StoredRenditions {
  const rows = db.collection<RedactionRow>(REDACTION_COLLECTION);
  return (tenantId) => new MongoStoredRenditions(rows, tenantId);
}

class MongoStoredRenditions implements StoredRenditions {
  readonly #rows: Collection<RedactionRow>;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<RedactionRow>, tenantId: TenantId) {
    this.#rows = rows;
    this.#tenantId = tenantId;
  }

  async of(subjectIds: readonly string[]): Promise<readonly StoredRendition[]> {
    if (subjectIds.length === 0) return [];
    return (await this.#find({ 'subject.id': { $in: [...subjectIds] } })).flatMap(renditionsOf);
  }

  async named(sha256s: readonly string[]): Promise<readonly StoredRendition[]> {
    const found = await this.#find({ 'stored.sha256': { $in: [...sha256s] } });
    return found.flatMap(renditionsOf).filter(({ sha256 }) => sha256s.includes(sha256));
  }

  async *all(): AsyncGenerator<readonly StoredRendition[]> {
    for (let after = ''; ; ) {
      const filter = { tenant_id: this.#tenantId, 'stored.0': { $exists: true }, _id: { $gt: after } };
      const found: readonly Found[] = await this.#rows
        .find(filter as Filter<RedactionRow>, { projection: PROJECTION })
        .sort({ _id: 1 })
        .limit(BATCH)
        .toArray();
      yield found.flatMap(renditionsOf);
      const last = found.at(-1);
      if (last === undefined || found.length < BATCH) return;
      after = last._id;
    }
  }

  async forget({ redaction_id, sha256, noted_at }: StoredRendition): Promise<void> {
    const filter = { _id: redaction_id, tenant_id: this.#tenantId };
    // One that was noted again meanwhile stays.
    const change = { $pull: { stored: { sha256, noted_at } } };
    await this.#rows.updateOne(filter, change as never, { writeConcern: DURABLE });
  }

  async #find(filter: object): Promise<readonly Found[]> {
    const own = { tenant_id: this.#tenantId, ...filter } as Filter<RedactionRow>;
    return this.#rows.find(own, { projection: PROJECTION }).toArray();
  }
}

const renditionsOf = ({ _id, subject, stored = [] }: Found): readonly StoredRendition[] =>
  stored.map(({ sha256, noted_at }) => ({ redaction_id: _id, subject, sha256, noted_at }));
