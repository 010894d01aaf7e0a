import { beforeAll, expect, it } from '@jest/globals';
import { type FebrlRecord, hasFebrl, readFebrl } from '../../../bench/members/febrl-samples.js';
import { comparableOf } from '../../../subgraphs/members-graph/matching/domain/comparable.js';
import { lookupKeys } from '../../../subgraphs/members-graph/matching/domain/keys.js';
import { describeUnless } from '../../support/needs.js';
import { SmallDirectory } from './small-directory.js';

/** Every so many a copy is looked for; 1 for all of them. */
const EVERY = Number(process.env['FEBRL_EVERY'] ?? 5);
const sampled = (copies: readonly FebrlRecord[]) => copies.filter((_, at) => at % EVERY === 0);

// FEBRL 4: each damaged copy of b is matched against the 5,000 originals of a, with the odds that the service begins with.

const withSamples = describeUnless(hasFebrl ? null : '../shared/samples is absent');

withSamples.each([
  { name: 'with the social security number', without: [], leastF1: 0.995 },
  { name: 'without it', without: ['soc_sec_id'], leastF1: 0.99 },
])('matching FEBRL 4 $name', ({ without, leastF1 }) => {
  let originals: readonly FebrlRecord[];
  let copies: readonly FebrlRecord[];
  let directory: SmallDirectory;
  beforeAll(() => {
    originals = readFebrl('febrl_dataset4a.csv', new Set(without));
    copies = sampled(readFebrl('febrl_dataset4b.csv', new Set(without)));
    directory = new SmallDirectory(originals.map(({ record }) => record));
  });

  it('finds nearly every pair by its keys with few other comparisons', () => {
    let candidates = 0;
    let met = 0;
    for (const { truth, record } of copies) {
      const found = directory.under(lookupKeys(comparableOf(record)));
      candidates += found.size;
      if ([...found].some((index) => originals[index]?.truth === truth)) met += 1;
    }
    expect(met / copies.length).toBeGreaterThanOrEqual(0.99);
    expect(1 - candidates / (copies.length * originals.length)).toBeGreaterThanOrEqual(0.99);
  });

  it(`grades pairs PROBABLE or EXACT with an F1 of at least ${leastF1}`, () => {
    let right = 0;
    let wrong = 0;
    for (const { truth, record } of copies) {
      for (const { member, match } of directory.match(record)) {
        if (match === 'POSSIBLE') continue;
        if (originals[member]?.truth === truth) right += 1;
        else wrong += 1;
      }
    }
    expect((2 * right) / (right + wrong + copies.length)).toBeGreaterThanOrEqual(leastF1);
  });
});

withSamples('a search of FEBRL 4 while typing', () => {
  it.each([
    { by: 'name and birth date', hasDate: true, among: 1, least: 0.97 },
    { by: 'name alone', hasDate: false, among: 5, least: 0.88 },
  ])('finds the person by $by among the first $among', ({ hasDate, among, least }) => {
    const originals = readFebrl('febrl_dataset4a.csv');
    const directory = new SmallDirectory(originals.map(({ record }) => record));
    const copies = sampled(readFebrl('febrl_dataset4b.csv'));
    const found = copies.filter(({ truth, record: { family = '', given = [], birthDate = '' } }) => {
      const ranked = directory.search({ family, given, ...(hasDate ? { birthDate } : {}) });
      return ranked.slice(0, among).some(({ member }) => originals[member]?.truth === truth);
    });
    expect(found.length / copies.length).toBeGreaterThanOrEqual(least);
  });
});
