import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { applyMention, isPartialDate, NOTHING_KNOWN } from '../../../subgraphs/members-graph/members/domain/member.js';
import {
  identityIn,
  linksNow,
  type MergeEntry,
  mergeConflict,
} from '../../../subgraphs/members-graph/members/domain/merges.js';
import { readMention } from '../../../subgraphs/members-graph/members/domain/read-event.js';

const told = (payload: JsonObject, over: { member_id?: string | null; source_record_id?: string } = {}) =>
  readMention({ event_id: 'evt_1', member_id: 'M-1', source_record_id: 'S-1', effectiveMs: 0, payload, ...over });

describe('readMention', () => {
  const patient = { last_name: 'Doe', first_name: 'Ann', middle_name: 'B C', birth_date: '1980-02-03', gender: 'F' };

  it.each<[string, JsonObject, object | null]>([
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

  it('returns null for an event without a member', () => expect(told({ patient }, { member_id: null })).toBeNull());
});

describe('applyMention', () => {
  const name = { family: 'Doe', given: ['Ann'], suffix: null };
  const known = { ...NOTHING_KNOWN, name, birth_date: '1980-02-03', phones: ['1'] };

  it('replaces by newer data, and keeps the former surname', () => {
    const after = applyMention(known, { name: { ...name, family: 'Roe' } }, true);
    expect(after).toMatchObject({ name: { family: 'Roe' }, former_families: ['Doe'], phones: ['1'] });
  });

  it('fills only gaps from older data', () => {
    const after = applyMention(known, { name: { ...name, family: 'Old' }, sex: 'FEMALE', phones: ['2'] }, false);
    expect(after).toEqual({ ...known, sex: 'FEMALE' });
  });

  it('changes nothing when repeated', () => {
    const person = { name, identifiers: [{ system: 'a', value: '1' }], addresses: [{ state: 'IL' }] };
    const once = applyMention(null, person, true);
    expect(applyMention(once, person, true)).toEqual(once);
    expect(applyMention(once, person, false)).toEqual(once);
  });

  it('keeps a full address in the same state', () => {
    const home = { lines: ['12 Elm'], state: 'IL' };
    expect(applyMention({ ...known, addresses: [home] }, { addresses: [{ state: 'IL' }] }, true).addresses).toEqual([
      home,
    ]);
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

  it('makes one person of every record with the same survivor', () => {
    for (const id of ['A', 'B', 'C', 'X']) expect(identityIn(chain, id)).toEqual(['C', 'A', 'B', 'X']);
    expect(identityIn(chain, 'Z')).toEqual(['Z']);
  });

  it('restores the records after an unmerge', () => {
    expect(linksNow([entry(1, 'MERGE', 'A', 'B'), entry(2, 'UNMERGE', 'A', 'B')])).toEqual(new Map());
  });

  it.each([
    ['C', 'A', true],
    ['C', 'B', true],
    ['A', 'C', true],
    ['A', 'A', true],
    ['Y', 'A', true],
    ['C', 'Y', false],
    ['Y', 'C', false],
  ])('%s into %s: rejected %s', (source, target, isRefused) => {
    expect(mergeConflict(chain, source, target) !== null).toBe(isRefused);
  });
});

it.each([
  ['1980', true],
  ['1980-02', true],
  ['1980-02-29', true],
  ['1981-02-29', false],
  ['1980-13', false],
  ['80-01-01', false],
])('isPartialDate(%s) returns %s', (text, isDate) => expect(isPartialDate(text)).toBe(isDate));
