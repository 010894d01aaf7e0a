import { describe, expect, it } from '@jest/globals';
import { buildSchema } from 'graphql';
import { graphChanges } from '../../gateway/graph-changes.js';

const BEFORE = buildSchema(`
  type Query { events(limit: Int): [Event], old: String @deprecated(reason: "Use events."), bundle: String }
  type Event { id: String!, kind: Kind }
  enum Kind { CLAIM APPEAL }
`);

const changesTo = (after: string) =>
  graphChanges(BEFORE, buildSchema(after)).map(({ effect, text }) => `${effect} ${text}`);

describe('the changes of the graph', () => {
  it('are none between equal schemas', () => {
    expect(graphChanges(BEFORE, BEFORE)).toEqual([]);
  });

  it('list breaking, possibly breaking, retiring and added parts', () => {
    expect(
      changesTo(`
        type Query { events(limit: Int!, after: String): [Event], page: Page }
        type Event { id: String!, kind: Kind, at: String }
        type Page { size: Int }
        enum Kind { CLAIM APPEAL REMITTANCE }
      `),
    ).toEqual([
      'BREAKING Query.bundle was removed.',
      'BREAKING Query.events arg limit has changed type from Int to Int!.',
      'DANGEROUS An optional arg after on Query.events was added.',
      'DANGEROUS REMITTANCE was added to enum type Kind.',
      'RETIRED Query.old was removed.',
      'ADDED Page was added.',
      'ADDED Query.page was added.',
      'ADDED Query.events arg after was added.',
      'ADDED Event.at was added.',
      'ADDED REMITTANCE was added to enum type Kind.',
    ]);
  });
});
