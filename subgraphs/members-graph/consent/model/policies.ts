import type { Db } from 'mongodb';
import { z } from 'zod';
import { isoTime } from '../../../../shared/clock/clock.js';
import { type AdoptableRows, isAdoption } from '../../../../shared/facts/adoption.js';
import type { FactPlace } from '../../../../shared/facts/fact.js';
import type { FactGuard } from '../../../../shared/facts/guard.js';
import { ProjectedFacts, type ProjectedSubjects } from '../../../../shared/facts/projected-facts.js';
import { jsonOf } from '../../../../shared/facts/state-json.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../../shared/json/canonical.js';
import { singleRowStates } from '../../../../shared/records/check-rows.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import { writeAdopted, writeBehind } from '../../../../shared/records/projected-row.js';
import type { ConsentPolicies, ConsentPolicy } from '../ports.js';

/** `_id` is the tenant. */
export const CONSENT_POLICIES = declareCollection('consent_policies');

interface PolicyRow extends ConsentPolicy {
  readonly _id: TenantId;
  readonly tenant_id: TenantId;
  readonly fact: FactPlace;
}

const NO_POLICY: ConsentPolicy = { part2_source_systems: [], revision: 0, updated_at: null, updated_by: null };

/** Identifier of the one subject that a tenant has. */
const SUBJECT = 'tenant';

const PolicyState = z.object({
  part2_source_systems: z.array(z.string()),
  revision: z.int(),
  updated_at: z.iso.datetime().transform((text) => new Date(text)),
  updated_by: z.string(),
});

/** The evidential fields of a policy. */
const stateOf = ({ part2_source_systems, revision, updated_at, updated_by }: ConsentPolicy) => ({
  part2_source_systems: jsonOf(part2_source_systems),
  revision: jsonOf(revision),
  updated_at: jsonOf(updated_at),
  updated_by: jsonOf(updated_by),
});

function policySubjects(db: Db): ProjectedSubjects<PolicyRow | null> {
  const rows = db.collection<PolicyRow>(CONSENT_POLICIES.name);
  return {
    kind: 'consent-policy',
    noun: 'consent policy',
    load: async (tenantId) => new Map([[SUBJECT, await rows.findOne({ _id: tenantId, tenant_id: tenantId })]]),
    placeOf: (row) => row?.fact ?? null,
    damageOf: (row, fact) => {
      if (row === null || fact === null) return row === null ? null : 'FACT_MISSING';
      return canonicalJson(stateOf(row)) === canonicalJson(fact.state) ? null : 'ROW_DIFFERS';
    },
    write: async (tenantId, _, fact) => {
      const write = isAdoption(fact) ? writeAdopted : writeBehind;
      await write(rows, { _id: tenantId, tenant_id: tenantId, ...PolicyState.parse(fact.state), fact: fact.place });
    },
  };
}

/** The policy of a tenant, for the command that adopts rows of earlier versions. */
const adoptablePolicies = (db: Db): AdoptableRows => ({
  collection: CONSENT_POLICIES.name,
  rows: async function* (tenantId) {
    const row = await db.collection<PolicyRow>(CONSENT_POLICIES.name).findOne({ _id: tenantId, tenant_id: tenantId });
    if (row === null) return;
    const adopted = () => {
      PolicyState.parse(stateOf(row));
      return [{ state: stateOf(row) }];
    };
    yield { id: SUBJECT, key: row._id, fact: row.fact, createdAt: row.updated_at, adopted };
  },
});

/** The consent policies of tenants, as their latest facts prove them. */
export function consentPolicies(db: Db, guard: FactGuard): ConsentPolicies {
  const facts = new ProjectedFacts(guard, policySubjects(db));
  guard.states('consent-policy', singleRowStates({ db, collection: CONSENT_POLICIES.name, id: SUBJECT, stateOf }));
  guard.adopts('consent-policy', adoptablePolicies(db));
  const policyOf = (row: PolicyRow | null): ConsentPolicy => {
    if (row === null) return NO_POLICY;
    const { part2_source_systems, revision, updated_at, updated_by } = row;
    return { part2_source_systems, revision, updated_at, updated_by };
  };
  return {
    of: async (tenantId) => policyOf((await facts.readOne(tenantId, SUBJECT)).stored),
    change: async (tenantId, decide) => {
      const { stored } = await facts.change(tenantId, SUBJECT, (current) => {
        const change = decide(policyOf(current.stored));
        if (change === null) return null;
        const { part2_source_systems, revision, updated_at } = change.policy;
        return {
          fact_id: change.fact_id,
          event_family: 'consent',
          event_type: 'consent.policy-set',
          at: isoTime(updated_at.getTime()),
          action: 'set',
          actor: change.actor,
          state: stateOf(change.policy),
          details: { part2_source_systems: [...part2_source_systems], revision, by: change.policy.updated_by },
        };
      });
      return policyOf(stored);
    },
  };
}
