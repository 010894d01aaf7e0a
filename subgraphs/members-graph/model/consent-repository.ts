import type { Collection, Db, Filter } from 'mongodb';
import { DURABLE } from '../../../shared/db/database.js';
import { duplicateKeyOf } from '../../../shared/db/duplicate-key.js';
import { keysetQuery } from '../../../shared/db/keyset.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { EffectRelay } from '../../../shared/outbox/outbox.js';
import type { PendingEffect } from '../../../shared/outbox/pending-effect.js';
import { ANY_PURPOSE } from '../domain/consent/consent.js';
import type {
  ConsentListQuery,
  ConsentPolicies,
  ConsentPolicy,
  ConsentStore,
  ConsentWrite,
  StoredConsent,
  TenantConsents,
} from '../service/ports/consent-store.js';
import { CONSENT_COLLECTION, CONSENT_POLICY_COLLECTION } from './consent-model.js';

/** `_id` is the consent_id. */
interface ConsentDocument extends Omit<StoredConsent, 'consent_id'> {
  readonly _id: string;
  readonly pending: readonly PendingEffect[];
}

const consentOf = ({ _id, pending: _, ...rest }: ConsentDocument): StoredConsent => ({ ...rest, consent_id: _id });

/** Consents by tenant; every filter begins with the tenant. */
export function consentStore(db: Db, outbox: EffectRelay): ConsentStore {
  const rows = db.collection<ConsentDocument>(CONSENT_COLLECTION);
  return (tenantId) => new MongoTenantConsents(rows, outbox, tenantId);
}

class MongoTenantConsents implements TenantConsents {
  readonly #rows: Collection<ConsentDocument>;
  readonly #outbox: EffectRelay;
  readonly #tenantId: TenantId;

  constructor(rows: Collection<ConsentDocument>, outbox: EffectRelay, tenantId: TenantId) {
    this.#rows = rows;
    this.#outbox = outbox;
    this.#tenantId = tenantId;
  }

  async get(consentId: string): Promise<StoredConsent | null> {
    const found = await this.#rows.findOne(this.#one(consentId));
    return found === null ? null : consentOf(found as ConsentDocument);
  }

  async list(query: ConsentListQuery): Promise<readonly StoredConsent[]> {
    const page = keysetQuery('created_at', query);
    const { member_id, status, decision, purpose } = query;
    const equal = { member_id, status, decision, purpose };
    const filters = Object.entries(equal).flatMap(([name, value]) => (value === undefined ? [] : [{ [name]: value }]));
    const rows = await this.#rows
      .find({ $and: [{ tenant_id: this.#tenantId }, ...filters, page.filter] } as Filter<ConsentDocument>)
      .sort(page.sort)
      .limit(page.fetch)
      .toArray();
    return rows.map((row) => consentOf(row as ConsentDocument));
  }

  async activeOf(memberIds: readonly string[], purpose: string): Promise<readonly StoredConsent[]> {
    if (memberIds.length === 0) return [];
    const filter = {
      tenant_id: this.#tenantId,
      member_id: { $in: [...memberIds] },
      status: 'ACTIVE',
      purpose: { $in: [ANY_PURPOSE, purpose] },
    };
    const rows = await this.#rows.find(filter as Filter<ConsentDocument>).toArray();
    return rows.map((row) => consentOf(row as ConsentDocument));
  }

  async insert({ consent: { consent_id, ...rest }, step, pending }: ConsentWrite): Promise<StoredConsent | null> {
    const document = { _id: consent_id, ...rest, history: [step], pending };
    try {
      await this.#rows.insertOne(document, { writeConcern: DURABLE });
    } catch (error) {
      if (duplicateKeyOf(error)) return null;
      throw error;
    }
    return { consent_id, ...rest, history: [step] };
  }

  async replace(
    { consent: { consent_id, ...rest }, step, pending }: ConsentWrite,
    revision: number,
  ): Promise<StoredConsent | null> {
    const changed = await this.#rows.findOneAndUpdate(
      { ...this.#one(consent_id), revision },
      { $set: rest, $push: { history: step, pending: { $each: pending } } } as never,
      { returnDocument: 'after', writeConcern: DURABLE },
    );
    return changed === null ? null : consentOf(changed as ConsentDocument);
  }

  relay({ consent, pending }: ConsentWrite): Promise<void> {
    return this.#outbox.relay(CONSENT_COLLECTION, consent.consent_id, pending);
  }

  #one(consentId: string): Filter<ConsentDocument> {
    return { _id: consentId, tenant_id: this.#tenantId };
  }
}

interface PolicyDocument extends ConsentPolicy {
  readonly _id: TenantId;
  readonly tenant_id: TenantId;
  readonly pending: readonly PendingEffect[];
}

const NO_POLICY: ConsentPolicy = { part2_source_systems: [], revision: 0, updated_at: null, updated_by: null };

/** What each tenant has settled; the row's id is the tenant. */
export function consentPolicies(db: Db, outbox: EffectRelay): ConsentPolicies {
  const rows = db.collection<PolicyDocument>(CONSENT_POLICY_COLLECTION);
  return {
    async of(tenantId) {
      const found = await rows.findOne({ _id: tenantId, tenant_id: tenantId });
      if (found === null) return NO_POLICY;
      const { part2_source_systems, revision, updated_at, updated_by } = found;
      return { part2_source_systems, revision, updated_at, updated_by };
    },
    async replace(tenantId, { policy, pending }, revision) {
      const one = { _id: tenantId, tenant_id: tenantId, revision };
      try {
        const { matchedCount, upsertedCount } = await rows.updateOne(
          one,
          { $set: policy, $push: { pending: { $each: pending } } } as never,
          { writeConcern: DURABLE, upsert: revision === 0 },
        );
        return matchedCount + upsertedCount > 0;
      } catch (error) {
        // Somebody else made the first one in the same moment.
        if (duplicateKeyOf(error)) return false;
        throw error;
      }
    },
    relay: (tenantId, { pending }) => outbox.relay(CONSENT_POLICY_COLLECTION, tenantId, pending),
  };
}
