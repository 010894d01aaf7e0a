import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildGraph } from '../../shared/graph/subgraph.js';
import { definition } from './tiny-subgraph.js';

let graph: Awaited<ReturnType<typeof buildGraph>>;
beforeAll(async () => {
  graph = await buildGraph(definition);
});

describe('a contract class defines the graph type, the check and the document', () => {
  it('turns an input type into a closed schema with its limits and examples', () => {
    expect(graph.contract.document.components.schemas['NoteInput']).toEqual({
      type: 'object',
      description: 'A note as it is sent.',
      properties: {
        title: {
          type: 'string',
          minLength: 1,
          maxLength: 5,
          pattern: '^[a-z]+$',
          description: 'Title.',
          examples: ['hello'],
        },
        at: { type: 'string', format: 'date-time', description: 'When.' },
        count: { type: 'integer', minimum: 1, maximum: 9, description: 'How many.' },
        payload: { $ref: '#/components/schemas/NotePayload', description: 'Content.' },
      },
      required: ['title'],
      additionalProperties: false,
    });
  });

  it('lets an answer omit optional members, shows null where null is a value, and hides graph-only fields', () => {
    const schema = graph.contract.document.components.schemas['Note'];
    expect(schema?.['required']).toEqual(['note_id', 'payload', 'faults']);
    expect(Object.keys(schema?.['properties'] as object)).toEqual(['note_id', 'author', 'payload', 'faults']);
    expect(graph.contract.document.components.schemas['NotePage']?.['properties']).toMatchObject({
      items: { type: 'array', items: { $ref: '#/components/schemas/Note' } },
      next_cursor: { type: ['string', 'null'] },
    });
  });

  it('exposes the arguments of a root field, including inherited ones', () => {
    const operation = graph.contract.document.operations['notes'];
    expect(operation).toMatchObject({ kind: 'query', type: 'NotePage!' });
    expect(Object.keys(operation?.arguments ?? {})).toEqual(['author', 'cursor', 'limit', 'order']);
    expect(operation?.arguments['limit']).toMatchObject({
      type: 'Int',
      required: false,
      schema: { type: 'integer', minimum: 1, maximum: 500 },
    });
  });
});

describe('a check of a value against its contract', () => {
  const faults = (value: unknown) => graph.contract.validator('NoteInput')(value);

  it('finds no faults in a valid value, and accepts any members in an open shape', () => {
    expect(faults({ title: 'abc', at: '2026-03-02T14:11:09Z', payload: { words: ['ab'], own: { x: null } } })).toEqual(
      [],
    );
  });

  it.each([
    [{}, '/title', 'required'],
    [{ title: 'abc', extra: 1 }, '/extra', 'unknown_field'],
    [{ title: 'abc', 'a/b~c': 1 }, '/a~1b~0c', 'unknown_field'],
    [{ title: 5 }, '/title', 'type'],
    [{ title: 'abc', at: null }, '/at', 'type'],
    [{ title: 'abc', count: '3' }, '/count', 'type'],
    [{ title: 'abc', count: 10 }, '/count', 'range'],
    [{ title: 'ABC' }, '/title', 'pattern'],
    [{ title: 'abcdef' }, '/title', 'length'],
    [{ title: '' }, '/title', 'length'],
    [{ title: 'abc', at: '2026-03-02T14:11:09' }, '/at', 'format'],
    [{ title: 'abc', at: '2026-02-30T14:11:09Z' }, '/at', 'format'],
    [{ title: 'abc', payload: { words: ['a'] } }, '/payload/words/0', 'length'],
    [{ title: 'abc', payload: { words: 'ab' } }, '/payload/words', 'type'],
    [{ title: 'abc', payload: [] }, '/payload', 'type'],
    ['text', '', 'type'],
    [null, '', 'type'],
  ])('rejects %j at %s as %s', (value, path, code) => {
    expect(faults(value)).toContainEqual(expect.objectContaining({ path, code }));
  });

  it('repeats no submitted value in a fault', () => {
    const list = faults({ title: 'SECRETVALUE', at: 'SECRETVALUE', count: 77, payload: { words: ['S'] } });
    expect(list.length).toBeGreaterThan(3);
    expect(JSON.stringify(list)).not.toMatch(/SECRETVALUE|77/);
  });

  it('limits thousands of faults to a readable list', () => {
    const payload = { words: Array.from({ length: 5_000 }, () => 1) };
    expect(faults({ title: 'abc', payload })).toHaveLength(100);
  });
});
