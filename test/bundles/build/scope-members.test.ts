import { describe, expect, it } from '@jest/globals';
import type { ChainEntry } from '../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import type { BuildDeps } from '../../../subgraphs/bundles/build/build-deps.js';
import { disclosedActs } from '../../../subgraphs/bundles/build/domain/manifest-records.js';
import { resolvedScope } from '../../../subgraphs/bundles/build/freeze-build.js';
import { selectionsOf } from '../../../subgraphs/bundles/build/select-rows.js';

// Members that were merged are one person: events and documents keep the id that they were written with.

const TENANT = 't' as TenantId;
const PERSONS = [
  ['M-1', 'M-0', 'M-9'],
  ['M-2', 'M-3'],
];

let asked: string[] = [];
let atOnce = 0;
let mostAtOnce = 0;
const deps = (linked: readonly string[] = []) =>
  ({
    membersOf: async (_: string, id: string) => {
      asked.push(id);
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      await Promise.resolve();
      atOnce--;
      return PERSONS.find((ids) => ids.includes(id)) ?? [];
    },
    matterScope: async () => ({ member_ids: linked, event_ids: ['evt_1'], document_ids: [] }),
  }) as unknown as BuildDeps;
const membersOf = async (scope: object, linked?: readonly string[]) =>
  (await resolvedScope(deps(linked), TENANT, { tenant_id: TENANT, ...scope })).member_ids;

describe('the members of a bundle', () => {
  it.each([
    ['the surviving id', 'M-1', ['M-0', 'M-1', 'M-9']],
    ['an id that was merged into another', 'M-9', ['M-0', 'M-1', 'M-9']],
    ['an id that only events know', 'M-7', ['M-7']],
  ])('are all ids of the person: %s', async (_, member_id, expected) => {
    expect(await membersOf({ member_id })).toEqual(expected);
  });

  it('include every member of a legal matter once, with limited concurrent lookups', async () => {
    [asked, mostAtOnce] = [[], 0];
    const linked = ['M-0', 'M-1', 'M-3', ...Array.from({ length: 200 }, (_, n) => `N-${n}`)];
    const found = await membersOf({ matter_id: 'mat_1' }, linked);
    expect(found).toHaveLength(3 + 2 + 200);
    expect(found).toEqual([...new Set(found)].sort());
    expect(asked).toHaveLength(linked.length);
    expect(mostAtOnce).toBeLessThanOrEqual(16);
  });

  it('are empty for an incident', async () => {
    expect(await membersOf({ incident_id: 'INC-1' })).toEqual([]);
  });

  it('select the events of the ledger', async () => {
    const resolved = await resolvedScope(deps(), TENANT, { tenant_id: TENANT, member_id: 'M-9' });
    expect(selectionsOf({ tenant_id: TENANT, member_id: 'M-9' }, resolved)).toEqual([
      { member_ids: ['M-0', 'M-1', 'M-9'] },
    ]);
  });
});

describe('acts in a bundle with a stated purpose', () => {
  const act = (subject_type: string, subject_id: string, kind = 'CUSTODY') =>
    ({ kind, subject_type, subject_id }) as ChainEntry;
  const withheld = { events: new Map([['evt_2', '42CFR2' as const]]), documents: new Map() };
  const told = (byEvents: readonly ChainEntry[], others: readonly ChainEntry[]): readonly string[] =>
    disclosedActs(byEvents, others, withheld, new Set(['doc_1'])).map(({ subject_id }) => subject_id);

  it('name no withheld record', () => {
    expect(told([act('EVENT', 'evt_1'), act('EVENT', 'evt_2'), act('RAW', 'ab')], [])).toEqual(['evt_1', 'ab']);
  });

  it('found by a member or a hold name only records of the bundle', () => {
    const records = [act('DOCUMENT', 'doc_1'), act('DOCUMENT', 'doc_2'), act('EVENT', 'evt_9'), act('RAW', 'cd')];
    const others = [act('MEMBER', 'M-1'), act('HOLD', 'hld_1'), act('BUNDLE', 'bdl_1')];
    const system = act('EVENT', 'rdx_1', 'SYSTEM');
    expect(told([], [...records, ...others, system])).toEqual(['doc_1', 'M-1', 'hld_1', 'bdl_1', 'rdx_1']);
  });
});
