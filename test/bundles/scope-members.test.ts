import { describe, expect, test } from '@jest/globals';
import type { TenantId } from '../../shared/ids/tenant.js';
import type { BuildDeps } from '../../subgraphs/bundles/service/build-deps.js';
import { resolvedScope } from '../../subgraphs/bundles/service/freeze-build.js';
import { selectionsOf } from '../../subgraphs/bundles/service/select-rows.js';

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
  test.each([
    ['the surviving id', 'M-1', ['M-0', 'M-1', 'M-9']],
    ['an id that was merged into another', 'M-9', ['M-0', 'M-1', 'M-9']],
    ['an id that only events know', 'M-7', ['M-7']],
  ])('are all ids of the person: %s', async (_, member_id, expected) => {
    expect(await membersOf({ member_id })).toEqual(expected);
  });

  test('are those of every member of a legal matter, each once, and a few are asked for at once', async () => {
    [asked, mostAtOnce] = [[], 0];
    const linked = ['M-0', 'M-1', 'M-3', ...Array.from({ length: 200 }, (_, n) => `N-${n}`)];
    const found = await membersOf({ matter_id: 'mat_1' }, linked);
    expect(found).toHaveLength(3 + 2 + 200);
    expect(found).toEqual([...new Set(found)].sort());
    expect(asked).toHaveLength(linked.length);
    expect(mostAtOnce).toBeLessThanOrEqual(16);
  });

  test('are none of an incident', async () => {
    expect(await membersOf({ incident_id: 'INC-1' })).toEqual([]);
  });

  test('are what the ledger is asked for', async () => {
    const resolved = await resolvedScope(deps(), TENANT, { tenant_id: TENANT, member_id: 'M-9' });
    expect(selectionsOf({ tenant_id: TENANT, member_id: 'M-9' }, resolved)).toEqual([
      { member_ids: ['M-0', 'M-1', 'M-9'] },
    ]);
  });
});
