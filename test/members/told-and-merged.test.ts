import { describe, expect, test } from '@jest/globals';
import type { JsonObject } from '../../shared/json/strict-json.js';
import { isPartialDate } from '../../subgraphs/members-graph/domain/members/demographics.js';
import { NOTHING_KNOWN } from '../../subgraphs/members-graph/domain/members/member.js';
import {
  identityIn,
  linksNow,
  type MergeEntry,
  refusalOf,
} from '../../subgraphs/members-graph/domain/members/merges.js';
import { toldBy } from '../../subgraphs/members-graph/domain/members/told-of.js';
import { withTold } from '../../subgraphs/members-graph/domain/members/with-told.js';

const told = (payload: JsonObject, over: { member_id?: string | null; source_record_id?: string } = {}) =>
  toldBy({ event_id: 'evt_1', member_id: 'M-1', source_record_id: 'S-1', effectiveMs: 0, payload, ...over });

describe('what an event tells of its member', () => {
  const patient = { last_name: 'Doe', first_name: 'Ann', middle_name: 'B C', birth_date: '1980-02-03', gender: 'F' };

  test.each<[string, JsonObject, object | null]>([
    [
      'a patient under the number',
      { patient: { ...patient, id: 'M-1', state: 'IL' }, program: 'Medicaid', jurisdiction: 'US-IL' },
      {
        name: { family: 'Doe', given: ['Ann', 'B', 'C'], suffix: null },
        birth_date: '1980-02-03',
        sex: 'FEMALE',
        addresses: [{ state: 'IL' }],
        program: 'Medicaid',
        jurisdiction: 'US-IL',
      },
    ],
    [
      'the subscriber, not the dependant',
      { patient: { last_name: 'Doe', first_name: 'Kid' }, subscriber: { ...patient, id: 'M-1' } },
      { name: { family: 'Doe', given: ['Ann', 'B', 'C'], suffix: null }, birth_date: '1980-02-03', sex: 'FEMALE' },
    ],
    ['nobody, where the patient has another number', { patient: { ...patient, id: 'M-2' } }, null],
    [
      'nobody, where the identifiers are another patient’s',
      { patient, identifiers: [{ id: '77', authority: 'H', type: 'MR' }] },
      null,
    ],
    ['nobody, where only a programme is told', { program: 'Medicare', patient: { id: 'M-1' } }, null],
    ['nothing of a date that is none', { patient: { birth_date: '1980-02-31' } }, null],
    [
      'identifiers of HL7 and FHIR by their systems',
      {
        patient,
        identifiers: [
          { id: 'M-1', authority: 'PLAN', type: 'MB' },
          { value: '212-34-5566', type: 'SS' },
        ],
      },
      {
        name: { family: 'Doe', given: ['Ann', 'B', 'C'], suffix: null },
        birth_date: '1980-02-03',
        sex: 'FEMALE',
        identifiers: [
          { system: 'PLAN', value: 'M-1' },
          { system: 'ssn', value: '212-34-5566' },
        ],
      },
    ],
  ])('%s', (_name, payload, person) => {
    expect(told(payload)?.person).toEqual(person);
  });

  test('an event without a member tells of nobody', () => expect(told({ patient }, { member_id: null })).toBeNull());
});

describe('a record with what is told', () => {
  const name = { family: 'Doe', given: ['Ann'], suffix: null };
  const known = { ...NOTHING_KNOWN, name, birth_date: '1980-02-03', phones: ['1'] };

  test('what is newer replaces, and the old surname is kept', () => {
    const after = withTold(known, { name: { ...name, family: 'Roe' } }, true);
    expect(after).toMatchObject({ name: { family: 'Roe' }, former_families: ['Doe'], phones: ['1'] });
  });

  test('what is older fills gaps alone', () => {
    const after = withTold(known, { name: { ...name, family: 'Old' }, sex: 'FEMALE', phones: ['2'] }, false);
    expect(after).toEqual({ ...known, sex: 'FEMALE' });
  });

  test('told again it is as it was', () => {
    const person = { name, identifiers: [{ system: 'a', value: '1' }], addresses: [{ state: 'IL' }] };
    const once = withTold(null, person, true);
    expect(withTold(once, person, true)).toEqual(once);
    expect(withTold(once, person, false)).toEqual(once);
  });

  test('a state told alone does not take an address away that lies in it', () => {
    const home = { lines: ['12 Elm'], state: 'IL' };
    expect(withTold({ ...known, addresses: [home] }, { addresses: [{ state: 'IL' }] }, true).addresses).toEqual([home]);
  });
});

describe('the log of merges', () => {
  const entry = (number: number, action: MergeEntry['action'], source_id: string, target_id: string): MergeEntry => ({
    number,
    merge_id: `mrg_${number}`,
    action,
    source_id,
    target_id,
    reason: null,
    at: new Date(number),
    by: 'key',
    actor_id: null,
    work_id: null,
  });
  const chain = linksNow([entry(1, 'MERGE', 'A', 'B'), entry(2, 'MERGE', 'B', 'C'), entry(3, 'MERGE', 'X', 'C')]);

  test('one person is every record that leads to the same one', () => {
    for (const id of ['A', 'B', 'C', 'X']) expect(identityIn(chain, id)).toEqual(['C', 'A', 'B', 'X']);
    expect(identityIn(chain, 'Z')).toEqual(['Z']);
  });

  test('undone it is as before', () => {
    expect(linksNow([entry(1, 'MERGE', 'A', 'B'), entry(2, 'UNMERGE', 'A', 'B')])).toEqual(new Map());
  });

  test.each([
    ['C', 'A', true],
    ['C', 'B', true],
    ['A', 'C', true],
    ['A', 'A', true],
    ['Y', 'A', true],
    ['C', 'Y', false],
    ['Y', 'C', false],
  ])('%s into %s: refused %s', (source, target, isRefused) => {
    expect(refusalOf(chain, source, target) !== null).toBe(isRefused);
  });
});

test.each([
  ['1980', true],
  ['1980-02', true],
  ['1980-02-29', true],
  ['1981-02-29', false],
  ['1980-13', false],
  ['80-01-01', false],
])('%s is a date of the calendar: %s', (text, isDate) => expect(isPartialDate(text)).toBe(isDate));
