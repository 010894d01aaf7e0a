import { describe, expect, it } from '@jest/globals';
import { buildSchema, printSchema } from 'graphql';
import { graphForm } from '../../../shared/graph/form/graph-form.js';

const schema = (...parts: readonly string[]): string => printSchema(graphForm(buildSchema(parts.join(' '))));

describe('the order of a schema', () => {
  it('does not depend on the order in which its classes were loaded', () => {
    const query = 'type Query { events: Int }';
    const member = 'type Member { name: String id: ID }';
    expect(schema(member, query)).toBe(schema(query, 'type Member { id: ID name: String }'));
  });

  it('keeps the order of arguments, inputs and enums', () => {
    const parts = [
      'enum State { OPEN CLOSED }',
      'input Filter { to: Int from: Int }',
      'type Query { a(z: Int, b: Int): Int }',
    ];
    const printed = schema(...parts);
    for (const text of ['OPEN\n  CLOSED', 'to: Int\n  from: Int', 'a(z: Int, b: Int)']) expect(printed).toContain(text);
  });
});
