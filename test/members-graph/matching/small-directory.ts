import type { PersonRecord } from '../../../subgraphs/members-graph/matching/domain/comparable.js';
import { type Comparable, comparableOf } from '../../../subgraphs/members-graph/matching/domain/comparable.js';
import { DEFAULT_THRESHOLDS, type Graded, gradeOf } from '../../../subgraphs/members-graph/matching/domain/grade.js';
import {
  blockingKeys,
  lookupKeys,
  narrowNameKeys,
  wideNameKeys,
} from '../../../subgraphs/members-graph/matching/domain/keys.js';
import { DEFAULT_ODDS, type MatchOdds } from '../../../subgraphs/members-graph/matching/domain/match-fields.js';
import { type MatchModel, scoreOf } from '../../../subgraphs/members-graph/matching/domain/score.js';

/** Members in memory under their keys, as the store has them under indexes. */
export class SmallDirectory {
  readonly people: readonly Comparable[];
  readonly #byKey = new Map<string, number[]>();
  readonly model: MatchModel;

  constructor(records: readonly PersonRecord[], odds: MatchOdds = DEFAULT_ODDS) {
    this.people = records.map(comparableOf);
    const names = new Map<string, number>();
    const holders = new Map<string, number>();
    const count = (counts: Map<string, number>, key: string): void => void counts.set(key, (counts.get(key) ?? 0) + 1);
    this.people.forEach((person, index) => {
      count(names, `given/${person.given.whole}`);
      count(names, `family/${person.family.whole}`);
      for (const { key } of person.identifiers) count(holders, key);
      for (const key of [...blockingKeys(person), ...narrowNameKeys(person, false), ...wideNameKeys(person)]) {
        const known = this.#byKey.get(key);
        if (known) known.push(index);
        else this.#byKey.set(key, [index]);
      }
    });
    const rarity = {
      members: records.length,
      countOf: (field: string, name: string) => names.get(`${field}/${name}`) ?? 0,
      holdersOf: (key: string) => holders.get(key) ?? 0,
    };
    this.model = { odds, rarity };
  }

  under(keys: readonly string[]): ReadonlySet<number> {
    return new Set(keys.flatMap((key) => this.#byKey.get(key) ?? []));
  }

  match(record: PersonRecord): readonly Graded<number>[] {
    const person = comparableOf(record);
    return this.#graded(person, this.under(lookupKeys(person)), DEFAULT_THRESHOLDS.possible);
  }

  search(record: PersonRecord): readonly Graded<number>[] {
    const person = comparableOf(record);
    const day = person.birth.day === '' ? [] : [`d:${person.birth.day}`];
    const narrow = this.#graded(person, this.under([...narrowNameKeys(person, true), ...day]), -20);
    const enough = person.birth.year === '' ? 12 : 20;
    if ((narrow[0]?.score.weight ?? 0) >= enough) return narrow;
    return this.#graded(person, this.under([...narrowNameKeys(person, true), ...day, ...wideNameKeys(person)]), -20);
  }

  #graded(person: Comparable, candidates: ReadonlySet<number>, possible: number): readonly Graded<number>[] {
    const scored = [...candidates].flatMap((member) => {
      const found = this.people[member];
      return found ? [{ member, person: found, score: scoreOf(person, found, this.model) }] : [];
    });
    return gradeOf(scored, { ...DEFAULT_THRESHOLDS, possible });
  }
}
