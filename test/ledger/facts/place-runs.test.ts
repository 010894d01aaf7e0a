import { describe, expect, it } from '@jest/globals';
import { runsOf } from '../../../subgraphs/ledger/facts/domain.js';
import { seeded } from '../../support/random.js';

const placesOf = (source_system: string, sequences: readonly number[]) =>
  sequences.map((seq) => ({ source_system, seq }));
const range = (from: number, count: number, step = 1) => Array.from({ length: count }, (_, n) => from + n * step);

describe('runsOf', () => {
  it('reads close places of a chain by one range, in any order, and looks the others up', () => {
    const close = placesOf('_records', range(10, 40, 2));
    const far = placesOf('_records', [5, 500, 900]);
    const { runs, others } = runsOf([...far, ...[...close].reverse()]);
    expect(runs).toEqual([{ source_system: '_records', from: 10, to: 88 }]);
    expect(others).toEqual(far);
  });

  it('keeps chains apart', () => {
    const places = [...placesOf('_records', range(1, 40)), ...placesOf('_system', range(41, 40))];
    expect(runsOf(places).runs).toEqual([
      { source_system: '_records', from: 1, to: 40 },
      { source_system: '_system', from: 41, to: 80 },
    ]);
  });

  it('looks a place up that an edited row has left without members', () => {
    const edited = [{}, { seq: 'x' }, { source_system: '_records' }] as unknown as ReturnType<typeof placesOf>;
    const { runs, others } = runsOf([...edited, ...placesOf('_records', range(1, 40))]);
    expect(runs).toEqual([{ source_system: '_records', from: 1, to: 40 }]);
    expect(others).toHaveLength(3);
  });

  it('covers every place once and reads at most twice as many', () => {
    const random = seeded(9);
    for (let round = 0; round < 50; round++) {
      const places = placesOf('_records', [...new Set(range(0, 400).map(() => Math.floor(random() * 900)))]);
      const { runs, others } = runsOf(places);
      const covering = ({ seq }: { seq: number }) =>
        runs.filter(({ from, to }) => from <= seq && seq <= to).length +
        others.filter((other) => other.seq === seq).length;
      expect(places.map(covering)).toEqual(places.map(() => 1));
      const read = runs.reduce((sum, { from, to }) => sum + to - from + 1, 0);
      expect(read).toBeLessThanOrEqual(2 * (places.length - others.length));
    }
  });
});
