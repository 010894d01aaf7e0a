import { describe, expect, it } from '@jest/globals';
import { rangeFaults } from '../../../shared/time/range-order.js';

const EARLY = '2026-03-01T00:00:00Z';
const LATE = '2026-03-02T00:00:00+01:00';

describe('a span of time', () => {
  it.each([
    [{ from: LATE, to: EARLY }, ['/from']],
    [{ since: LATE, until: EARLY }, ['/since']],
    [{ from: EARLY, to: LATE }, []],
    [{ from: EARLY, to: EARLY }, []],
    [{ from: LATE }, []],
    [{ from: 'member:B', to: 'member:A' }, []],
  ])('must not end before it starts: %j', (values, paths) => {
    expect(rangeFaults(values).map(({ path }) => path)).toEqual(paths);
  });
});
