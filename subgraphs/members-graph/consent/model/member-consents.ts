import type { Db } from 'mongodb';
import { type AdoptedState, isAdoption } from '../../../../shared/facts/adoption.js';
import type { Fact, FactPlace } from '../../../../shared/facts/fact.js';
import type { FactGuard } from '../../../../shared/facts/guard.js';
import { type FactChange, ProjectedFacts, type ProjectedSubjects } from '../../../../shared/facts/projected-facts.js';
import { isWholeSet, recordsEnded, recordsInForce, setState } from '../../../../shared/facts/set-state.js';
import { jsonOf } from '../../../../shared/facts/state-json.js';
import type { TenantId } from '../../../../shared/ids/tenant.js';
import { isJsonObject, type JsonObject } from '../../../../shared/json/strict-json.js';
import { STATES_INDEX } from '../../../../shared/records/check-rows.js';
import { declareCollection } from '../../../../shared/records/collections.js';
import {
  type ProjectedRow,
  packed,
  unpacked,
  writeAdopted,
  writeBehind,
} from '../../../../shared/records/projected-row.js';
import { type RecordDocument, rowOfDocument } from '../../../../shared/records/record-document.js';
import type { FactStep } from '../../../../shared/records/row-facts.js';
import type { MemberReference } from '../../records/index.js';
import type { StoredConsent } from '../ports.js';

// The consents of one member are one subject: each of its facts holds every consent in force, whole.

export const CONSENTS = declareCollection(
  'consents',
  [{ tenant_id: 1, created_at: -1, _id: -1 }],
  [{ tenant_id: 1, member_id: 1, status: 1, created_at: -1, _id: -1 }],
  STATES_INDEX,
);

/** The latest fact of each member with consents; `_id` is `tenant_id/member_id`. */
export const CONSENT_HEADS = declareCollection(
  'consent_heads',
  [{ tenant_id: 1, consent_ids: 1 }],
  [{ tenant_id: 1, ref: 1 }],
);

export interface HeadRow {
  readonly _id: string;
  readonly tenant_id: TenantId;
  readonly member_id: string;
  /** What the ledger calls the member. */
  readonly ref: string;
  /** Every consent that the facts name. */
  readonly consent_ids: readonly string[];
  readonly fact: FactPlace;
}

export type ConsentDocument = RecordDocument & ProjectedRow;

export const headId = (tenantId: TenantId, memberId: string): string => `${tenantId}/${memberId}`;

/** What the database holds of a member's consents. */
interface ConsentsOfMember {
  readonly head: HeadRow | null;
  /** The rows with status ACTIVE. */
  readonly active: readonly StoredConsent[];
}

export type MemberConsents = ProjectedFacts<ConsentsOfMember>;

const withoutFact = ({ fact: _, ...row }: StoredConsent): object => row;

/** A consent as its facts state it. */
export function recordOf(row: StoredConsent): JsonObject {
  const record = jsonOf(withoutFact(row));
  if (!isJsonObject(record)) throw new TypeError('a consent is no object');
  return record;
}

/**
 * The fact of a step that one consent takes.
 *
 * @param row the consent after the step.
 * @param latest the member's fact before; null for the first.
 */
export function changeOf(step: FactStep | undefined, row: StoredConsent, latest: Fact | null): FactChange {
  if (!step) throw new TypeError('a step of a consent has no fact');
  const record = recordOf(row);
  const others = recordsInForce(latest).filter(({ consent_id }) => consent_id !== row.consent_id);
  const isInForce = row.status === 'ACTIVE';
  const set = setState(isInForce ? [...others, record] : others, record);
  const ended = isInForce ? recordsEnded(latest) : [...recordsEnded(latest), row.consent_id].sort();
  const isNew = row.revision === 1;
  const refs = isNew ? { refs: [consentRef(row.consent_id)] } : {};
  return { ...step, state: { ...set, ended }, ...refs, row: packed(withoutFact(row)) };
}

/** The name by which the ledger finds the member of a consent. */
export const consentRef = (consentId: string): string => `consent/${consentId}`;

/** The member of a consent by the heads; null for an unknown consent. */
export async function memberWith(db: Db, tenantId: TenantId, consentId: string): Promise<string | null> {
  const found = await db
    .collection<HeadRow>(CONSENT_HEADS.name)
    .findOne({ tenant_id: tenantId, consent_ids: consentId });
  return found?.member_id ?? null;
}

/** Opens the consents of members, for one process. */
export const memberConsents = (db: Db, guard: FactGuard, referenceOf: MemberReference): MemberConsents =>
  new ProjectedFacts(guard, consentSubjects(db, referenceOf));

function consentSubjects(db: Db, referenceOf: MemberReference): ProjectedSubjects<ConsentsOfMember> {
  const heads = db.collection<HeadRow>(CONSENT_HEADS.name);
  const rows = db.collection<ConsentDocument>(CONSENTS.name);
  return {
    kind: 'consent',
    noun: 'consents of the member',
    async load(tenantId, memberIds) {
      const named = memberIds.map((memberId) => headId(tenantId, memberId));
      // A fact moves the head last: rows that are read after the head are not behind it.
      const known = await heads.find({ _id: { $in: named }, tenant_id: tenantId }).toArray();
      const filter = { tenant_id: tenantId, member_id: { $in: [...memberIds] }, status: 'ACTIVE' };
      const documents = await rows.find(filter).toArray();
      const active = documents.map((document) => rowOfDocument<StoredConsent>(document, 'consent_id'));
      return new Map(
        memberIds.map((memberId) => [
          memberId,
          {
            head: known.find(({ _id }) => _id === headId(tenantId, memberId)) ?? null,
            active: active.filter(({ member_id }) => member_id === memberId),
          },
        ]),
      );
    },
    placeOf: ({ head }) => head?.fact ?? null,
    damageOf({ active }, fact) {
      if (isWholeSet(active.map(recordOf), fact)) return null;
      return fact === null ? 'FACT_MISSING' : 'ROW_DIFFERS';
    },
    async write(tenantId, memberId, latest) {
      const { place } = latest;
      const write = isAdoption(latest) ? writeAdopted : writeBehind;
      for (const { consent_id: _id, ...members } of consentsIn(latest)) {
        await write(rows, { ...members, _id, tenant_id: tenantId, fact: place, pending: [] });
      }
      const consent_ids = [
        ...recordsInForce(latest).map(({ consent_id }) => String(consent_id)),
        ...recordsEnded(latest),
      ];
      const own = { _id: headId(tenantId, memberId), tenant_id: tenantId, member_id: memberId };
      const ref = referenceOf(tenantId, memberId);
      await writeBehind(heads, { ...own, ref, consent_ids, fact: place });
    },
    reference: { of: referenceOf, keyOf: (fact) => String(consentsIn(fact)[0]?.member_id) },
  };
}

/** The consent that a fact changes, or all that it adopts. @throws TypeError for a fact without a row. */
function consentsIn(fact: Fact): readonly StoredConsent[] {
  if (fact.row === undefined) throw new TypeError('the fact does not hold its consent');
  // changeOf and adoptionOf made exactly this, and the ledger proves it.
  if (isAdoption(fact)) return (unpacked(fact.row) as AdoptedConsents).consents;
  return [unpacked(fact.row) as StoredConsent];
}

interface AdoptedConsents {
  readonly consents: readonly StoredConsent[];
}

/**
 * The fact that adopts all consents of one member. Those out of force have no fact of their own: the state holds them
 * whole.
 */
export function adoptionOf(rows: readonly StoredConsent[]): AdoptedState {
  const active = rows.filter(({ status }) => status === 'ACTIVE');
  const ended = rows.filter(({ status }) => status !== 'ACTIVE');
  const consents = rows.map(withoutFact);
  return {
    state: {
      ...setState(active.map(recordOf)),
      ended: ended.map(({ consent_id }) => consent_id).sort(),
      adopted: ended.map(recordOf),
    },
    row: packed({ consents }),
    refs: rows.map(({ consent_id }) => consentRef(consent_id)),
  };
}
