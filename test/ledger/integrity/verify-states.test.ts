import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Document } from 'mongodb';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { startTestServer, type TestServer } from '../../vault/retention/retention-kit.js';
import { type Finding, StatesProcess } from './states-kit.js';

// Someone edits, removes or adds a row of a record. Verification names the row and continues.

let server: TestServer;
let states: StatesProcess;

beforeAll(async () => {
  server = await startTestServer();
  states = await StatesProcess.open(server);
});

afterAll(async () => {
  await states.close();
  await server.stop();
});

/** A record, and the row of it that someone edits. */
interface Made {
  readonly tenant: TenantId;
  readonly _id: string;
  /** Name of the record in keys, behind the kind; any name where the ledger calls it by a hash. */
  readonly named?: string;
}

type Named = readonly [kind: string, collection: string, field: string | null];

interface Case {
  readonly collection: string;
  readonly make: () => Promise<Made>;
  readonly edits: readonly (readonly [name: string, change: Document, ...named: Named])[];
  /** The named damage when the row is removed; null where a removed row is no row of the kind. */
  readonly removed: Named | null;
  /** Changes that make the row another one, and the named damage when it is added. */
  readonly added: { readonly other: Document; readonly named: Named } | null;
}

const DIFFERS = 'ROW_DIFFERS';
const MALFORMED = 'ROW_MALFORMED';
const MISSING = 'ROW_MISSING';
const NO_FACT = 'FACT_MISSING';

const made = async (make: (tenant: TenantId) => Promise<Omit<Made, 'tenant'>>): Promise<Made> => {
  const tenant = await states.tenant();
  return { tenant, ...(await make(tenant)) };
};

/** The rows of the ledger have an object. */
const idOf = (row: Document | null): string => row?.['_id'];

const CASES: Readonly<Record<string, Case>> = {
  'consent of one member': {
    collection: 'consents',
    make: () =>
      made(async (tenant) => {
        const _id = await states.consent(tenant, 'C-1', 'TREATMENT');
        await states.revoke(tenant, await states.consent(tenant, 'C-1', 'RESEARCH'));
        await states.consent(tenant, 'C-2', 'TREATMENT');
        return { _id, named: _id };
      }),
    edits: [
      ['another purpose', { $set: { purpose: '*' } }, DIFFERS, 'consents', 'purpose'],
      ['no categories', { $unset: { categories: '' } }, DIFFERS, 'consents', 'categories'],
      ['a status of a wrong type', { $set: { status: 7 } }, DIFFERS, 'consents', 'status'],
      ['another status', { $set: { status: 'REVOKED' } }, DIFFERS, 'consents', 'status'],
      ['a member of a wrong type', { $set: { member_id: null } }, MALFORMED, 'consents', 'member_id'],
      ['another member', { $set: { member_id: 'C-2' } }, NO_FACT, 'consents', null],
      ['a fact of a wrong type', { $set: { fact: 'none' } }, MALFORMED, 'consents', 'fact'],
      ['no fact', { $unset: { fact: '' } }, NO_FACT, 'consents', null],
    ],
    removed: [MISSING, 'consents', null],
    added: {
      other: { _id: 'cns_00000000000000000000000000', purpose: 'RESEARCH' },
      named: [DIFFERS, 'consents', 'consent_id,purpose'],
    },
  },
  'revoked consent': {
    collection: 'consents',
    make: () =>
      made(async (tenant) => {
        await states.consent(tenant, 'C-1', 'TREATMENT');
        const _id = await states.consent(tenant, 'C-1', 'RESEARCH');
        await states.revoke(tenant, _id);
        return { _id, named: _id };
      }),
    edits: [
      ['the status of before', { $set: { status: 'ACTIVE' } }, DIFFERS, 'consents', 'status'],
      ['another reason', { $set: { 'history.1.reason': 'Forged.' } }, DIFFERS, 'consents', 'history'],
    ],
    removed: [MISSING, 'consents', null],
    added: null,
  },
  'list of the consents of a member': {
    collection: 'consent_heads',
    make: () =>
      made(async (tenant) => {
        await states.consent(tenant, 'C-1', 'TREATMENT');
        await states.consent(tenant, 'C-1', 'RESEARCH');
        return { _id: `${tenant}/C-1` };
      }),
    edits: [
      ['no consents', { $set: { consent_ids: [] } }, DIFFERS, 'consent_heads', 'consent_ids'],
      ['consents of a wrong type', { $set: { consent_ids: 7 } }, DIFFERS, 'consent_heads', 'consent_ids'],
      ['another member', { $set: { member_id: 'C-2' } }, DIFFERS, 'consent_heads', '_id,ref'],
      ['a fact of a wrong type', { $set: { fact: [] } }, MALFORMED, 'consent_heads', 'fact'],
      ['a reference of a wrong type', { $set: { ref: 1 } }, MALFORMED, 'consent_heads', '_id'],
      ['another reference', { $set: { ref: '0'.repeat(64) } }, NO_FACT, 'consent_heads', null],
    ],
    removed: [MISSING, 'consent_heads', null],
    added: { other: { _id: 'other', ref: 'f'.repeat(64) }, named: [NO_FACT, 'consent_heads', null] },
  },
  'consent policy': {
    collection: 'consent_policies',
    make: () =>
      made(async (tenant) => {
        await states.consentPolicy(tenant, 'sud-clinic');
        await states.consentPolicy(tenant, 'sud-clinic', 'detox');
        return { _id: tenant, named: 'tenant' };
      }),
    edits: [
      ['no sources', { $set: { part2_source_systems: [] } }, DIFFERS, 'consent_policies', 'part2_source_systems'],
      [
        'sources of a wrong type',
        { $set: { part2_source_systems: {} } },
        DIFFERS,
        'consent_policies',
        'part2_source_systems',
      ],
      ['an earlier revision', { $set: { revision: 1 } }, DIFFERS, 'consent_policies', 'revision'],
      ['another tenant', { $set: { tenant_id: 'other' } }, MALFORMED, 'consent_policies', 'tenant_id'],
      ['no fact', { $unset: { fact: '' } }, MALFORMED, 'consent_policies', 'fact'],
    ],
    removed: [MISSING, 'consent_policies', null],
    added: { other: { _id: 'forged' }, named: [MALFORMED, 'consent_policies', '_id'] },
  },
  member: {
    collection: 'members',
    make: () =>
      made(async (tenant) => {
        for (const [id, family] of [
          ['M-a', 'Aldrich'],
          ['M-b', 'Brewster'],
          ['M-c', 'Czerny'],
        ] as const) {
          await states.member(tenant, id, family);
        }
        await states.merge(tenant, 'M-a', 'M-b');
        return { _id: `${tenant}/M-b` };
      }),
    edits: [
      ['no merge', { $set: { merged_into: null } }, DIFFERS, 'members', 'merged_into,status'],
      ['another survivor', { $set: { merged_into: 'M-c' } }, DIFFERS, 'members', 'merged_into'],
      ['a survivor of a wrong type', { $set: { merged_into: 7 } }, DIFFERS, 'members', 'merged_into'],
      ['no survivor', { $unset: { merged_into: '' } }, MALFORMED, 'members', 'merged_into'],
      ['another status', { $set: { status: 'ACTIVE' } }, DIFFERS, 'members', 'status'],
      ['another identifier', { $set: { member_id: 'M-c' } }, MALFORMED, 'members', 'member_id'],
    ],
    removed: [MISSING, 'members', null],
    added: null,
  },
  'member without a merge': {
    collection: 'members',
    make: () =>
      made(async (tenant) => {
        await states.member(tenant, 'M-a', 'Aldrich');
        return { _id: `${tenant}/M-a` };
      }),
    edits: [
      ['a merge', { $set: { merged_into: 'M-b', status: 'MERGED' } }, NO_FACT, 'members', null],
      ['the status of a merged one', { $set: { status: 'MERGED' } }, DIFFERS, 'members', 'status'],
    ],
    removed: null,
    added: null,
  },
  merge: {
    collection: 'member_merges',
    make: () =>
      made(async (tenant) => {
        for (const [id, family] of [
          ['M-a', 'Aldrich'],
          ['M-b', 'Brewster'],
          ['M-c', 'Czerny'],
        ] as const) {
          await states.member(tenant, id, family);
        }
        await states.merge(tenant, 'M-a', 'M-b');
        await states.merge(tenant, 'M-a', 'M-c');
        return { _id: `${tenant}/1`, named: '1' };
      }),
    edits: [
      ['another source', { $set: { source_id: 'M-c' } }, DIFFERS, 'member_merges', 'source_id'],
      ['a time of a wrong type', { $set: { at: 'yesterday' } }, DIFFERS, 'member_merges', 'at'],
      ['a fact of a wrong type', { $set: { fact: 'none' } }, MALFORMED, 'member_merges', 'fact'],
      ['no fact', { $unset: { fact: '' } }, NO_FACT, 'member_merges', null],
    ],
    removed: [MISSING, 'member_merges', null],
    added: { other: { _id: 'forged', number: 3 }, named: [MALFORMED, 'member_merges', '_id'] },
  },
  'last merge': {
    collection: 'member_merges',
    make: () =>
      made(async (tenant) => {
        await states.member(tenant, 'M-a', 'Aldrich');
        await states.member(tenant, 'M-b', 'Brewster');
        await states.merge(tenant, 'M-a', 'M-b');
        return { _id: `${tenant}/1`, named: '1' };
      }),
    edits: [],
    removed: [MISSING, 'member_merges', null],
    added: null,
  },
  disposal: {
    collection: 'ledger',
    make: () =>
      made(async (tenant) => {
        const [event_id = ''] = await states.disposed(tenant, 1, 2);
        const row = await states.rows('ledger').findOne({ tenant_id: tenant, event_id });
        return { _id: idOf(row), named: event_id };
      }),
    edits: [
      ['another disposal', { $set: { disposal_id: 'dsp_forged' } }, DIFFERS, 'ledger', 'disposal_id'],
      ['a disposal of a wrong type', { $set: { disposal_id: 7 } }, DIFFERS, 'ledger', 'disposal_id'],
      ['no disposal', { $unset: { disposal_id: '' } }, DIFFERS, 'ledger', 'disposal_id'],
      ['a seed', { $set: { seed: Buffer.alloc(32) } }, DIFFERS, 'ledger', 'removed'],
      ['a record', { $set: { record: Buffer.from('{}') } }, DIFFERS, 'ledger', 'removed'],
    ],
    removed: [MISSING, 'ledger', null],
    added: null,
  },
  'kept event': {
    collection: 'ledger',
    make: () =>
      made(async (tenant) => {
        await states.consentPolicy(tenant, 'sud-clinic');
        const row = await states.rows('ledger').findOne({ tenant_id: tenant, '_id.source_system': '_records' });
        return { _id: idOf(row), named: String(row?.['event_id']) };
      }),
    edits: [['a disposal', { $set: { disposal_id: 'dsp_forged' } }, NO_FACT, 'ledger', null]],
    removed: null,
    added: null,
  },
  'retention policy': {
    collection: 'retention_policies',
    make: () =>
      made(async (tenant) => {
        await states.policies(tenant, 6);
        await states.policies(tenant, 20);
        return { _id: tenant, named: 'policies' };
      }),
    edits: [
      ['fewer years', { $set: { 'policies.0.years': 6 } }, DIFFERS, 'retention_policies', 'policies,root'],
      ['no policies', { $set: { policies: [] } }, DIFFERS, 'retention_policies', 'count,policies,root'],
      ['policies of a wrong type', { $set: { policies: 7 } }, DIFFERS, 'retention_policies', 'count,policies,root'],
      ['another tenant', { $set: { tenant_id: 'other' } }, MALFORMED, 'retention_policies', 'tenant_id'],
    ],
    removed: [MISSING, 'retention_policies', null],
    added: { other: { _id: 'forged' }, named: [MALFORMED, 'retention_policies', '_id'] },
  },
  rule: {
    collection: 'rules',
    make: () =>
      made(async (tenant) => {
        const _id = await states.rule(tenant, 'acme-50', 'First');
        await states.rule(tenant, 'acme-50', 'Second');
        await states.rule(tenant, 'other-50', 'Other');
        return { _id, named: 'acme-50' };
      }),
    edits: [
      ['another text', { $set: { 'revisions.0.body': 'Forged.' } }, DIFFERS, 'rules', 'revisions'],
      ['no revision', { $set: { revisions: [] } }, MALFORMED, 'rules', 'state'],
      ['revisions of a wrong type', { $set: { revisions: 7 } }, MALFORMED, 'rules', 'state'],
      ['other codes for queries', { $set: { index_codes: [] } }, DIFFERS, 'rules', 'index_codes'],
      ['another kind for queries', { $set: { kind: 'GUIDELINE' } }, DIFFERS, 'rules', 'kind'],
      ['another key', { $set: { key: 'forged' } }, MISSING, 'rules', null],
      ['a key of a wrong type', { $set: { key: 7 } }, MALFORMED, 'rules', '_id'],
      ['no fact', { $unset: { fact: '' } }, MALFORMED, 'rules', 'fact'],
    ],
    removed: [MISSING, 'rules', null],
    added: { other: { _id: 'rul_00000000000000000000000000', key: 'forged' }, named: [NO_FACT, 'rules', null] },
  },
};

const ofTheRow = (breaks: readonly Finding[], [kind, collection, field]: Named) =>
  breaks.filter((each) => each.kind === kind && each.collection === collection && each.field === field);

describe.each(Object.entries(CASES))(
  'verification of the row of a %s',
  (_, { collection, make, edits, removed, added }) => {
    const rows = () => states.rows(collection);
    const stored = async ({ _id }: Made): Promise<Document & { _id: string }> => {
      const row = await rows().findOne({ _id });
      if (!row) throw new Error('no row');
      return row;
    };
    const expectClean = async ({ tenant }: Made): Promise<void> => {
      const { valid, breaks, not_checked } = await states.verify(tenant);
      expect({ valid, breaks }).toEqual({ valid: true, breaks: [] });
      expect(not_checked.filter(({ what }) => what.startsWith('rows of'))).toEqual([]);
    };
    const expectNamed = async ({ tenant, named }: Made, ...expected: Named): Promise<void> => {
      const { valid, breaks } = await states.verify(tenant);
      const found = ofTheRow(breaks, expected);
      if (found.length === 0) expect(breaks).toEqual(expected);
      expect(valid).toBe(false);
      // A row with an identifier of a wrong type is named by it.
      if (named !== undefined && expected[2] !== '_id')
        expect(found.map(({ key }) => String(key).split('/')[1])).toContain(named);
    };

    it('names each edited, removed and added row, and is valid for an untouched row', async () => {
      const record = await make();
      await expectClean(record);
      await states.settle();
      await expectClean(record);
      const row = await stored(record);
      for (const [, change, ...named] of edits) {
        await rows().updateOne({ _id: record._id }, change);
        await expectNamed(record, ...named);
        await rows().replaceOne({ _id: record._id }, row);
      }
      if (removed !== null) {
        await rows().deleteOne({ _id: record._id });
        await expectNamed(record, ...removed);
        await rows().insertOne(row);
      }
      if (added !== null) {
        await rows().insertOne({ ...row, ...added.other });
        await expectNamed({ tenant: record.tenant, _id: '' }, ...added.named);
        await rows().deleteOne({ _id: added.other['_id'] });
      }
      await expectClean(record);
    });
  },
);
