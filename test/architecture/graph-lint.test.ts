import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parse } from 'graphql';
import { repositoryFile } from '../../app/repository.js';
import { graphFaults } from './graph-lint.js';

describe('the schema of the graph', () => {
  it('describes every type, field, argument and value, gives an example of each argument, and names each in one form', () => {
    const graph = parse(readFileSync(repositoryFile('gateway/supergraph.graphql'), 'utf8'));
    expect(graphFaults(graph)).toEqual([]);
  });
});

describe('the linter of the schema', () => {
  it.each([
    ['type A { b: Int }', ['A has no description', 'A.b has no description']],
    [
      '"A." type a_b { "B" Bad: Int }',
      [
        'a_b has another form of name',
        'a_b.Bad has another form of name',
        'a_b.Bad has a description that is no sentence',
      ],
    ],
    ['"A." type A { "B." b(c: Int): Int }', ['A.b: c has no description', 'A.b: c has no example']],
    ['"A." type A { "B." b("C." c: [Int!]): Int }', ['A.b: c has no example']],
    ['"A." type A { "B." b("C. Example: `1`." c: Int, "D." d: Boolean, "E." e: E): Int } "E." enum E { "F." F }', []],
    ['"A." type A { "B." b("C." c: Int): Int @inaccessible }', []],
    ['"A." type A { "B." b(input: Int): Int }', []],
    ['"A." enum A { b }', ['A.b has another form of name', 'A.b has no description']],
    ['"A." input A { "B." b: Int @deprecated }', ['A.b is deprecated without a reason']],
    ['"A." scalar A', []],
  ])('judges %s', (text, faults) => {
    expect(graphFaults(parse(text))).toEqual(faults);
  });
});
