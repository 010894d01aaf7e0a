import { z } from 'zod';
import { isoTime } from '../../../shared/clock/clock.js';
import { COUNTS_FROM } from '../../../shared/contracts/disposal.js';
import { type AdoptableRows, isAdoption } from '../../../shared/facts/adoption.js';
import { type Fact, FactPlace, type FactSubject } from '../../../shared/facts/fact.js';
import type { FactGuard } from '../../../shared/facts/guard.js';
import { countAndRoot, jsonOf } from '../../../shared/facts/state-json.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { canonicalJson } from '../../../shared/json/canonical.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import type { RulesAct, RulesRow, RulesRows, RulesStore, StoredRules } from './ports.js';

/** All policies of a tenant are one subject: a policy that is missing from the row differs from the fact. */
export const POLICIES: FactSubject = { kind: 'retention-policy', id: 'policies' };

const RulesState = z.object({
  revision: z.int(),
  default_years: z.int(),
  policies: z.array(
    z.object({
      event_family: z.string().exactOptional(),
      document_type: z.string().exactOptional(),
      years: z.int(),
      counts_from: z.enum(COUNTS_FROM).exactOptional(),
    }),
  ),
  updated_at: z.string().nullable(),
  updated_by: z.string().nullable(),
});

/** Members of the row that decide nothing; a crash must not lose them. */
const RulesWork = z.object({ work_ids: z.array(z.string()) });

interface ProvenRulesDeps {
  readonly guard: FactGuard;
  readonly rows: RulesRows;
}

interface ProvenRules extends RulesStore {
  /** Writes the row that a crash left behind its fact. */
  catchUp(tenantId: TenantId): Promise<void>;
}

/**
 * Retention policies, read from their latest fact. The stored row is a second witness: a row that says something else, or
 * that is missing, fails the read, so that no edit of the database makes a deletion come earlier.
 */
export const provenRules = (deps: ProvenRulesDeps): ProvenRules => ({
  read: async (tenantId) => {
    const fact = await latestFact(deps, tenantId, false);
    return fact && rulesOf(tenantId, fact);
  },
  write: async (rules, act) => {
    const { tenant_id } = rules;
    const before = await latestFact(deps, tenant_id, false);
    // Another request has changed the rules since they were read.
    if ((before === null ? 0 : before.state['revision']) !== rules.revision - 1) return false;
    const { status, place } = await deps.guard.append(tenant_id, draftOf(rules, act, before));
    if (status === 'TAKEN') return false;
    await deps.rows.put(rules, place);
    return true;
  },
  catchUp: async (tenantId) => void (await latestFact(deps, tenantId, true)),
});

/**
 * Returns the fact that the row projects, after writing a row that a crash left behind.
 *
 * @throws INTEGRITY_FAILURE for a row that its latest fact does not prove
 */
async function latestFact(
  { guard, rows }: ProvenRulesDeps,
  tenantId: TenantId,
  bySweep: boolean,
): Promise<Fact | null> {
  for (;;) {
    const row = await rows.read(tenantId);
    const place = FactPlace.safeParse(row?.fact);
    const [answer] = await guard.read(tenantId, [{ subject: POLICIES, known: place.data ?? null }]);
    const { known, newer } = answer ?? { known: null, newer: [] };
    const [next] = newer;
    const isAdopted = row !== null && row.fact === undefined && next !== undefined && isAdoption(next);
    const proof = isAdopted ? next : known;
    if (row !== null && proof === null) return guard.reject(tenantId, POLICIES, 'FACT_MISSING');
    if (row !== null && proof !== null && canonicalJson(proof.state) !== canonicalJson(stateOfRules(row))) {
      return guard.reject(tenantId, POLICIES, 'ROW_DIFFERS');
    }
    const latest = newer.at(-1);
    if (next === undefined || latest === undefined) return known;
    // The sweep has written the rows of older facts: someone took this one back, or away.
    if (!bySweep && (await guard.hasSwept(Date.parse(next.at)))) {
      return guard.reject(tenantId, POLICIES, row === null ? 'ROW_MISSING' : 'ROW_DIFFERS');
    }
    if (isAdopted) await rows.adopt(tenantId, next.place);
    else await rows.put(rulesOf(tenantId, latest), latest.place);
  }
}

/** The policies of a tenant, for the command that adopts rows of earlier versions. */
export const adoptableRules = (rows: RulesRows, collection: string): AdoptableRows => ({
  collection,
  rows: async function* (tenantId) {
    const row = await rows.read(tenantId);
    if (row === null) return;
    const { updated_at } = row;
    const adopted = () => {
      const state = stateOfRules(row);
      RulesState.parse(state);
      return [{ state, row: { ...RulesWork.parse({ work_ids: row.work_ids ?? [] }) } }];
    };
    const createdAt = updated_at instanceof Date ? updated_at : null;
    yield { id: POLICIES.id, key: tenantId, fact: row.fact, createdAt, adopted };
  },
});

/** The evidential fields: every policy in force, with their count and root. Writer and reader derive them here. */
export function stateOfRules({ revision, default_years, policies, updated_at, updated_by }: RulesRow): JsonObject {
  const listed = jsonOf(policies);
  const texts = Array.isArray(listed) ? listed.map((policy) => canonicalJson(policy)).sort() : [];
  return {
    revision: jsonOf(revision),
    default_years: jsonOf(default_years),
    policies: listed,
    ...countAndRoot(texts),
    updated_at: jsonOf(updated_at),
    updated_by: jsonOf(updated_by),
  };
}

function rulesOf(tenantId: TenantId, { state, row }: Fact): StoredRules {
  const { updated_at, ...rules } = RulesState.parse(state);
  const { work_ids } = RulesWork.parse(row ?? { work_ids: [] });
  return { ...rules, tenant_id: tenantId, updated_at: updated_at === null ? null : new Date(updated_at), work_ids };
}

const draftOf = (rules: StoredRules, act: RulesAct, before: Fact | null) => ({
  ...act,
  subject: POLICIES,
  event_family: 'retention',
  at: isoTime(rules.updated_at?.getTime() ?? 0),
  previous: before?.place.entry_hash ?? null,
  state: stateOfRules(rules),
  row: { work_ids: [...rules.work_ids] },
});
