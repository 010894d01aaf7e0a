import type { Db } from 'mongodb';
import { type AdoptableRow, type AdoptableRows, AdoptionRefused } from '../../../../shared/facts/adoption.js';
import { shortText } from '../../../../shared/json/short-text.js';
import { rowOfDocument } from '../../../../shared/records/record-document.js';
import type { MemberReference } from '../../records/index.js';
import type { StoredConsent } from '../ports.js';
import { CONSENT_ROW } from '../schema.js';
import { adoptionOf, CONSENT_HEADS, CONSENTS, type ConsentDocument, type HeadRow } from './member-consents.js';

/** The consents of one member, and whether a head names the member's latest fact. */
interface OfMember {
  readonly member_id: unknown;
  readonly rows: readonly StoredConsent[];
  readonly hasHead: boolean;
}

/** The consents of members, for the command that adopts rows of earlier versions: one fact adopts all of a member. */
export const adoptableConsents = (db: Db, referenceOf: MemberReference): AdoptableRows => ({
  collection: CONSENTS.name,
  rows: async function* (tenantId) {
    const heads = db.collection<HeadRow>(CONSENT_HEADS.name);
    const documents = db.collection<ConsentDocument>(CONSENTS.name);
    const found = documents.find({ tenant_id: tenantId }, { sort: { member_id: 1, _id: 1 } });
    const withHead = async (member_id: unknown, rows: readonly StoredConsent[]): Promise<OfMember> => {
      const head = await heads.findOne({ _id: `${tenantId}/${String(member_id)}`, tenant_id: tenantId });
      return { member_id, rows, hasHead: head !== null };
    };
    const refOf = (memberId: string): string => referenceOf(tenantId, memberId);
    let rows: StoredConsent[] = [];
    for await (const document of found) {
      const row = rowOfDocument<StoredConsent>(document, 'consent_id');
      const last = rows.at(-1);
      if (last !== undefined && last.member_id !== row.member_id) {
        yield* adoptableOf(await withHead(last.member_id, rows), refOf);
        rows = [];
      }
      rows.push(row);
    }
    const last = rows.at(-1);
    if (last !== undefined) yield* adoptableOf(await withHead(last.member_id, rows), refOf);
  },
});

function* adoptableOf(
  { member_id, rows, hasHead }: OfMember,
  refOf: (memberId: string) => string,
): Generator<AdoptableRow> {
  const id = typeof member_id === 'string' ? refOf(member_id) : null;
  // A member with a head has facts: each row must name its own.
  for (const row of rows) if (hasHead || row.fact !== undefined) yield alone(id, row);
  if (!hasHead && rows.some(({ fact }) => fact === undefined)) yield together(id, rows);
}

const timeOf = (value: unknown): Date | null => (value instanceof Date ? value : null);

/** A consent that its own fact must prove. */
const alone = (id: string | null, { consent_id, fact, created_at }: StoredConsent): AdoptableRow => ({
  id,
  key: shortText(consent_id),
  fact,
  createdAt: timeOf(created_at),
  adopted: () => {
    throw new AdoptionRefused('CONTRADICTED');
  },
});

function together(id: string | null, rows: readonly StoredConsent[]): AdoptableRow {
  const newestMs = Math.max(...rows.map(({ created_at }) => timeOf(created_at)?.getTime() ?? Number.NaN));
  return {
    id,
    key: rows.map(({ consent_id }) => shortText(consent_id)).join(','),
    fact: undefined,
    createdAt: Number.isNaN(newestMs) ? null : new Date(newestMs),
    adopted: ({ facts }) => {
      // Only a crash after the fact leaves a member with some rows that name it.
      if (facts.length === 0 && rows.some(({ fact }) => fact !== undefined)) throw new AdoptionRefused('CONTRADICTED');
      for (const { fact: _, ...row } of rows) CONSENT_ROW({ ...row });
      return [adoptionOf(rows)];
    },
  };
}
