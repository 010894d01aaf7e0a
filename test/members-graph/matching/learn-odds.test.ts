import { expect, it } from '@jest/globals';
import { hasFebrl, readFebrl } from '../../../bench/members/febrl-samples.js';
import { comparableOf } from '../../../subgraphs/members-graph/matching/domain/comparable.js';
import { lookupKeys } from '../../../subgraphs/members-graph/matching/domain/keys.js';
import { learnOdds, type Pair } from '../../../subgraphs/members-graph/matching/domain/learn-odds.js';
import {
  DEFAULT_ODDS,
  MATCH_FIELDS,
  MATCH_LEVELS,
} from '../../../subgraphs/members-graph/matching/domain/match-fields.js';
import { oddsOf } from '../../../subgraphs/members-graph/matching/domain/score.js';
import { describeUnless } from '../../support/needs.js';
import { SmallDirectory } from './small-directory.js';

const withSamples = describeUnless(hasFebrl ? null : '../shared/samples is absent');

withSamples('learning odds from data without labels', () => {
  const originals = hasFebrl ? readFebrl('febrl_dataset4a.csv').slice(0, 1_500) : [];
  const truths = new Set(originals.map(({ truth }) => truth));
  const copies = hasFebrl ? readFebrl('febrl_dataset4b.csv').filter(({ truth }) => truths.has(truth)) : [];

  it('learnt odds approach the true odds and converge', () => {
    const directory = new SmallDirectory(originals.map(({ record }) => record));
    const people = copies.map(({ record }) => comparableOf(record));
    const candidates = people.flatMap((person): Pair[] =>
      [...directory.under(lookupKeys(person))].flatMap((index) => {
        const found = directory.people[index];
        return found ? [[person, found] as const] : [];
      }),
    );
    const strangers = people.flatMap((person, index): Pair[] => {
      const other = directory.people[(index * 769 + 13) % directory.people.length];
      return other ? [[person, other] as const] : [];
    });
    const learnt = learnOdds(candidates, strangers, directory.model);
    expect(learnt.rounds).toBeLessThan(25);
    const trueShare = copies.length / candidates.length;
    expect(Math.abs(learnt.matchShare - trueShare)).toBeLessThan(0.02);
    const exactDates = copies.filter(({ truth, record }) => {
      const original = originals.find((each) => each.truth === truth);
      return record.birthDate === original?.record.birthDate;
    });
    expect(learnt.odds.birth_date.EXACT?.m).toBeGreaterThan(exactDates.length / copies.length - 0.05);
    const taught = new SmallDirectory(
      originals.map(({ record }) => record),
      learnt.odds,
    );
    const right = copies.filter(({ truth, record }) => {
      const [first] = taught.match(record);
      return first !== undefined && first.match !== 'POSSIBLE' && originals[first.member]?.truth === truth;
    });
    expect(right.length / copies.length).toBeGreaterThanOrEqual(0.99);
  });
});

it('learning without data keeps the odds', () => {
  const directory = new SmallDirectory([]);
  expect(learnOdds([], [], directory.model).odds).toEqual(DEFAULT_ODDS);
});

it('every level of every field has odds between 0 and 1', () => {
  for (const field of MATCH_FIELDS) {
    for (const level of MATCH_LEVELS[field]) {
      const { m, u } = oddsOf(DEFAULT_ODDS, field, level);
      expect(Math.min(m, u)).toBeGreaterThan(0);
      expect(Math.max(m, u)).toBeLessThanOrEqual(1);
    }
  }
});
