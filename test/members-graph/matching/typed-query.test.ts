import { expect, it } from '@jest/globals';
import { readTypedQuery } from '../../../subgraphs/members-graph/matching/domain/typed-query.js';

it.each([
  ['john smith', { family: 'smith', given: ['john'] }],
  ['Smith, John Q 1970-01-31', { family: 'Smith', given: ['John', 'Q'], birthDate: '1970-01-31' }],
  ['Mary Ann Doyle 1/31/1949', { family: 'Doyle', given: ['Mary', 'Ann'], birthDate: '1949-01-31' }],
  ['Doyle 31/1/1949', { family: 'Doyle', birthDate: '1949-01-31' }],
  ['Doyle 19490131', { family: 'Doyle', birthDate: '1949-01-31' }],
  ['Doyle March 3, 1949', { family: 'Doyle', birthDate: '1949-03-03' }],
  ['doyle 3 mar 1949', { family: 'doyle', birthDate: '1949-03-03' }],
  ['doyle 1949', { family: 'doyle', birthDate: '1949' }],
  ['(217) 555-0142', { phones: ['(217) 555-0142'] }],
  ['ada@example.org', { emails: ['ada@example.org'] }],
  ['Иван Петров', { family: 'Петров', given: ['Иван'] }],
  ['', {}],
])('reads %j', (text, record) => {
  expect(readTypedQuery(text).record).toMatchObject(record);
  const { identifiers, ...rest } = readTypedQuery(text).record;
  expect(identifiers).toEqual([]);
  expect(rest).toEqual(record);
});

it('reads a social security number, and offers every number as an identifier', () => {
  const { record, identifierTexts } = readTypedQuery('212-34-5566');
  expect(record.identifiers).toEqual([{ system: 'ssn', value: '212-34-5566' }]);
  expect(identifierTexts).toEqual(['212-34-5566']);
  expect(readTypedQuery('M-1000042').identifierTexts).toEqual(['M-1000042']);
});
