import { describe, expect, it } from '@jest/globals';
import { csvOf, ndjsonOf, tableOf } from '../../rest-facade/routes/system/graph-table.js';
import type { JsonObject } from '../../shared/json/strict-json.js';

const tableIn = (data: JsonObject) => {
  const table = tableOf(data);
  if (table === null) throw new Error('no table');
  return table;
};

describe('the table of an answer of the graph', () => {
  it.each<[string, JsonObject, JsonObject]>([
    ['a list', { a: [{ x: 1 }] }, { rows: [{ x: 1 }], next: null }],
    ['a page', { a: { items: [{ x: 1 }], next_cursor: 'c' } }, { rows: [{ x: 1 }], next: 'c' }],
    ['the last page', { a: { items: [], next_cursor: null } }, { rows: [], next: null }],
    [
      'nodes',
      { a: { nodes: [{ x: 1 }], pageInfo: { hasNextPage: true, endCursor: 'e' } } },
      { rows: [{ x: 1 }], next: 'e' },
    ],
    [
      'nodes of the last page',
      { a: { nodes: [], pageInfo: { hasNextPage: false, endCursor: 'e' } } },
      { rows: [], next: null },
    ],
    ['edges', { a: { edges: [{ cursor: 'c', node: { x: 1 } }] } }, { rows: [{ x: 1 }], next: null }],
    ['a list beside a count', { a: { count: 3 }, b: { items: [{ x: 1 }] } }, { rows: [{ x: 1 }], next: null }],
  ])('is %s', (_name, data, expected) => {
    expect(tableOf(data)).toEqual(expected);
  });

  it.each<[string, JsonObject]>([
    ['two lists', { a: [{ x: 1 }], b: [{ x: 1 }] }],
    ['no list', { a: { count: 1 } }],
    ['texts', { a: ['x'] }],
    ['edges without nodes', { a: { edges: [{ cursor: 'c' }] } }],
  ])('is none for %s', (_name, data) => {
    expect(tableOf(data)).toBeNull();
  });
});

describe('CSV of the graph', () => {
  it('has a column for each member, also of objects that are null in some rows, and quotes by RFC 4180', () => {
    const rows = [
      { id: 1, member: null, note: 'a "b", c', list: ['x', 2] },
      { id: 2, member: { id: 'M-1', name: { family: 'O\nE' } }, note: null, list: [], more: true },
    ];
    expect(csvOf(tableIn({ a: rows }))).toBe(
      'id,note,list,member.id,member.name.family,more\r\n' +
        '1,"a ""b"", c","[""x"",2]",,,\r\n' +
        '2,,[],M-1,"O\nE",true\r\n',
    );
  });

  it('makes text of what a spreadsheet would run', () => {
    expect(csvOf(tableIn({ a: [{ x: '=1+1' }, { x: '-2' }, { x: -2 }] }))).toBe("x\r\n'=1+1\r\n'-2\r\n-2\r\n");
  });
});

describe('NDJSON of the graph', () => {
  it('has one object a line', () => {
    expect(ndjsonOf(tableIn({ a: [{ x: 'a\nb' }, { x: null }] }))).toBe('{"x":"a\\nb"}\n{"x":null}\n');
  });
});
