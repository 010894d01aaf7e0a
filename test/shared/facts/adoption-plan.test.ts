import { expect, it } from '@jest/globals';
import type { AdoptableRow } from '../../../shared/facts/adoption.js';
import { extentOf, planAdoption } from '../../../shared/facts/adoption-plan.js';
import type { Fact } from '../../../shared/facts/fact.js';

const row = (id: string): AdoptableRow => ({
  id,
  key: id,
  fact: undefined,
  createdAt: new Date(0),
  adopted: () => [{ state: { id } }],
});

it('gives the extent of another run that adopts the same rows after they were examined', async () => {
  const extent = extentOf('other', ['a', 'b']);
  const adoptedBy = (id: string) =>
    ({
      action: 'adopt',
      at: '2026-01-01T00:00:00.000Z',
      subject: { kind: 'hold', id },
      row: { adoption: extent },
    }) as unknown as Fact;
  let reads = 0;
  const guard = {
    // The first question comes before the other run adopts both rows, the next one after.
    read: async (_: unknown, questions: readonly { readonly subject: { readonly id: string } }[]) => {
      reads += 1;
      return questions.map(({ subject }) => ({ known: null, newer: reads === 1 ? [] : [adoptedBy(subject.id)] }));
    },
    subjects: async () => ['a', 'b'],
  };
  const rows = {
    collection: 'holds',
    rows: async function* () {
      yield row('a');
      yield row('b');
    },
  };
  const plan = await planAdoption(guard as never, 't-1' as never, 'hold', rows, {
    adoptionId: 'own',
    includingNewer: false,
  });
  expect(plan.findings.map(({ verdict }) => verdict)).toEqual(['ADOPT', 'ADOPT']);
  expect(plan.extent).toEqual(extent);
});
