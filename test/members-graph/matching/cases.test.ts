import { describe, expect, it } from '@jest/globals';
import type { PersonRecord } from '../../../subgraphs/members-graph/matching/domain/comparable.js';
import { SmallDirectory } from './small-directory.js';

const home = { lines: ['12 Elm Street'], city: 'Springfield', state: 'IL', postalCode: '62704' };
const person = (given: string, family: string, birthDate: string, more: Partial<PersonRecord> = {}): PersonRecord => ({
  given: given.split(' '),
  family,
  birthDate,
  ...more,
});
const gradesOf = (directory: SmallDirectory, record: PersonRecord) =>
  directory.match(record).map(({ member, match }) => [member, match]);

describe('records of one person', () => {
  const cases: readonly (readonly [string, PersonRecord, PersonRecord])[] = [
    ['a nickname', person('Robert', 'Thompson', '1961-04-09'), person('Bob', 'Thompson', '1961-04-09')],
    ['a nickname of the same name', person('Liz', 'Arden', '1975-02-11'), person('Beth', 'Arden', '1975-02-11')],
    ['a double surname', person('Ana', 'García López', '1988-08-02'), person('Ana', 'Lopez', '1988-08-02')],
    ['a hyphen', person('Mary', 'Smith-Jones', '1990-01-20'), person('Mary', 'Smith Jones', '1990-01-20')],
    [
      'a former surname',
      person('Mary', 'Jones', '1990-01-20', { formerFamilies: ['Abbott'] }),
      person('Mary', 'Abbott', '1990-01-20'),
    ],
    ['a middle name left out', person('Mary Ann', 'Doyle', '1949-12-30'), person('Mary', 'Doyle', '1949-12-30')],
    [
      'a middle name and its initial',
      person('Mary A', 'Doyle', '1949-12-30'),
      person('Mary Ann', 'Doyle', '1949-12-30'),
    ],
    ['swapped names', person('James', 'Taylor', '1948-03-12'), person('Taylor', 'James', '1948-03-12')],
    [
      'day and month swapped',
      person('Zelda', 'Wrightson', '1948-03-12', { addresses: [home] }),
      person('Zelda', 'Wrightson', '1948-12-03', { addresses: [home] }),
    ],
    ['marks and none', person('José', 'Núñez', '1970-07-07'), person('Jose', 'Nunez', '1970-07-07')],
    ['Cyrillic and Latin', person('Иван', 'Петров', '1980-05-05'), person('Ivan', 'Petrov', '1980-05-05')],
    ['Greek and Latin', person('Νίκος', 'Παπαδόπουλος', '1980-05-05'), person('Nikos', 'Papadopoulos', '1980-05-05')],
    ['the same Han letters', person('伟', '王', '1992-10-01'), person('伟', '王', '1992-10-01')],
  ];
  it.each(cases)('match through %s', (_name, known, asked) => {
    const directory = new SmallDirectory([known, person('Olga', 'Stranger', '1933-03-03')]);
    const [first] = directory.match(asked);
    expect(first?.member).toBe(0);
    expect(['EXACT', 'PROBABLE']).toContain(first?.match);
  });
});

describe('records of different people', () => {
  const anna = person('Anna', 'Keller', '2015-06-01', { addresses: [home], phones: ['217-555-0142'] });
  const emma = person('Emma', 'Keller', '2015-06-01', { addresses: [home], phones: ['217-555-0142'] });

  it('grades a twin POSSIBLE if the other twin is known', () => {
    const grades = gradesOf(new SmallDirectory([anna, emma]), emma);
    expect(grades).toEqual([
      [1, 'EXACT'],
      [0, 'POSSIBLE'],
    ]);
  });

  it('do not match Mary Ann with Mary Lou', () => {
    const home = { addresses: [{ lines: ['12 Elm Street'], postalCode: '62704' }] };
    const known = person('Mary Ann', 'Keller', '2015-06-01', home);
    expect(gradesOf(new SmallDirectory([known]), person('Mary Lou', 'Keller', '2015-06-01', home))).not.toContainEqual([
      0,
      'EXACT',
    ]);
  });

  it('grade a twin of the other sex POSSIBLE', () => {
    const boy = person('Emil', 'Keller', '2015-06-01', { addresses: [home], sex: 'M' });
    const girl = person('Clara', 'Keller', '2015-06-01', { addresses: [home], sex: 'F' });
    expect(gradesOf(new SmallDirectory([girl]), boy)).toEqual([[0, 'POSSIBLE']]);
  });

  it('grade a twin with another social security number POSSIBLE', () => {
    const of = (value: string) => ({ addresses: [home], identifiers: [{ system: 'ssn', value }] });
    const known = person('Clara', 'Keller', '2015-06-01', of('212-34-5566'));
    const asked = person('Emil', 'Keller', '2015-06-01', of('219-88-1020'));
    expect(gradesOf(new SmallDirectory([known]), asked)).toEqual([[0, 'POSSIBLE']]);
  });

  it('distinguish father and son of one name by their suffix', () => {
    const senior = person('John', 'Marsh', '1950-02-02', { suffix: 'Sr.', addresses: [home] });
    const junior = person('John', 'Marsh', '1950-02-02', { suffix: 'Jr', addresses: [home] });
    expect(gradesOf(new SmallDirectory([senior]), junior)).toEqual([[0, 'POSSIBLE']]);
  });

  it.each(['000-00-0000', '999-99-9999', '123-45-6789', '078-05-1120', '111111111'])(
    'the placeholder %s joins no records',
    (value) => {
      const identifiers = [{ system: 'ssn', value }];
      const directory = new SmallDirectory([person('Ada', 'Lowell', '1931-01-02', { identifiers })]);
      expect(directory.match(person('Karl', 'Zimmer', '1999-09-09', { identifiers }))).toEqual([]);
    },
  );

  it('ignore a birth date of 1 January 1900', () => {
    const directory = new SmallDirectory([person('Ada', 'Lowell', '1900-01-01')]);
    expect(directory.match(person('Karl', 'Zimmer', '1900-01-01'))).toEqual([]);
  });

  it('distinguish newborns without a name by their letter', () => {
    const known = person('Baby Boy A', 'Keller', '2024-06-01', { addresses: [home] });
    const second = person('Baby Boy B', 'Keller', '2024-06-01', { addresses: [home], isOfMultipleBirth: true });
    const [match] = new SmallDirectory([known, second]).match(second);
    expect(match?.member).toBe(1);
  });

  it('ignore an identifier of many members', () => {
    const identifiers = [{ system: 'urn:employer', value: 'GROUP-77' }];
    const members = ['Ada', 'Ben', 'Cleo', 'Dora', 'Egon', 'Fritz'].map((given, index) =>
      person(given, `Family${'abcdef'[index]}`, `19${50 + index}-01-02`, { identifiers }),
    );
    expect(new SmallDirectory(members).match(person('Karl', 'Zimmer', '1999-09-09', { identifiers }))).toEqual([]);
  });
});

it('a score returns every contribution, and they add up to its weight', () => {
  const known = person('Ada', 'Lowell', '1931-01-02', { sex: 'F', addresses: [home] });
  const [match] = new SmallDirectory([known]).match(
    person('Ada', 'Lowel', '1931-01-02', { sex: 'F', addresses: [home] }),
  );
  const fields = match?.score.contributions.map(({ field }) => field).sort();
  expect(fields).toEqual(['birth_date', 'city', 'family', 'given', 'house_number', 'postal_code', 'sex', 'street']);
  const sum = match?.score.contributions.reduce((total, { weight }) => total + weight, 0) ?? 0;
  expect(match?.score.weight).toBeCloseTo(sum, 9);
});
