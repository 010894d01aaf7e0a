import { beforeAll, describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { descriptionText } from '../../app/client/generated-client.js';
import { Examples } from '../../rest-facade/openapi/example-of.js';
import type { JsonObject, JsonValue } from '../../shared/json/strict-json.js';

interface Answer {
  readonly name: string;
  readonly schema: JsonObject;
  readonly example: JsonValue | undefined;
}

const Json = z.custom<JsonObject>((value) => typeof value === 'object' && value !== null);
const Content = z.record(z.string(), z.object({ schema: Json, example: z.custom<JsonValue>().optional() }));
const Operation = z.object({ responses: z.record(z.string(), z.object({ content: Content.optional() })) });
/** What this test reads of the description. */
const Description = z.object({
  components: z.object({ schemas: z.record(z.string(), Json) }),
  paths: z.record(z.string(), z.record(z.string(), Operation)),
});

let schemas: Record<string, JsonObject>;
let answers: readonly Answer[];
let faultsOf: (answer: Answer) => string[];
beforeAll(async () => {
  const description = Description.parse(JSON.parse(await descriptionText()));
  schemas = description.components.schemas;
  answers = answersOf(description.paths);
  const ajv = new Ajv2020({ strict: false, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('binary', true);
  ajv.addSchema({ $id: 'doc', components: { schemas } });
  faultsOf = ({ name, schema, example }) => {
    const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', '"doc#/components')));
    if (validate(example)) return [];
    return (validate.errors ?? []).map(({ instancePath, message }) => `${name} ${instancePath}: ${message}`);
  };
});

/** Each JSON answer of success, of each operation. */
function answersOf(paths: z.infer<typeof Description>['paths']): Answer[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { responses }]) =>
      Object.entries(responses)
        .filter(([status]) => status.startsWith('2'))
        .flatMap(([status, { content = {} }]) =>
          Object.entries(content)
            .filter(([type, { schema }]) => type.includes('json') && !isText(schema))
            .map(([type, { schema, example }]) => ({ name: `${method} ${path} ${status} ${type}`, schema, example })),
        ),
    ),
  );
}

const isText = ({ format, type }: JsonObject): boolean => format === 'binary' || type === 'string';

describe('the examples of answers in the contract', () => {
  it('exist for every JSON answer of success', () => {
    expect(answers.length).toBeGreaterThan(220);
    expect(answers.filter(({ example }) => example === undefined).map(({ name }) => name)).toEqual([]);
  });

  it('fit their schemas', () => {
    expect(answers.flatMap((answer) => (answer.example === undefined ? [] : faultsOf(answer)))).toEqual([]);
  });

  it('name identifiers, hashes and times as the service does', () => {
    const event = answers.find(({ name }) => name.startsWith('get /v1/events/{id} 200'))?.example;
    expect(event).toMatchObject({
      event_id: expect.stringMatching(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/),
      entry_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      recorded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
    expect(wordless(answers)).toEqual([]);
  });
});

/** Identifiers with an example that is no identifier. */
function wordless(all: readonly Answer[]): string[] {
  const found = new Set<string>();
  const look = (value: unknown): void => {
    if (Array.isArray(value)) for (const item of value) look(item);
    else if (value !== null && typeof value === 'object') {
      for (const [name, part] of Object.entries(value)) {
        if (/(_id|_hash|sha256)$/.test(name) && (part === 'text' || part === '')) found.add(name);
        look(part);
      }
    }
  };
  for (const { example } of all) look(example);
  return [...found].sort();
}

const exampleOf = (schema: JsonObject, named: Record<string, JsonObject> = {}): JsonValue | undefined =>
  new Examples(named).of(schema);

describe('Examples', () => {
  it('prefers the example of the schema, then its only value, then its first value', () => {
    expect(exampleOf({ type: 'string', examples: ['evt_1'], enum: ['a'] })).toBe('evt_1');
    expect(exampleOf({ const: 7 })).toBe(7);
    expect(exampleOf({ type: 'string', enum: ['OPEN', 'DONE'] })).toBe('OPEN');
  });

  it('stays within the bounds of numbers', () => {
    expect(exampleOf({ type: 'integer', minimum: 10 })).toBe(10);
    expect(exampleOf({ type: 'number', maximum: 0 })).toBe(0);
  });

  it('ends where a schema contains itself', () => {
    const Node: JsonObject = {
      type: 'object',
      properties: {
        name: { type: 'string' },
        children: { type: 'array', items: { $ref: '#/components/schemas/Node' } },
      },
    };
    expect(exampleOf({ $ref: '#/components/schemas/Node' }, { Node })).toEqual({ name: 'text', children: [] });
  });

  it('takes the example of a field of the same name elsewhere', () => {
    const Known: JsonObject = { type: 'object', properties: { event_id: { type: 'string', examples: ['evt_1'] } } };
    const bare: JsonObject = {
      type: 'object',
      properties: { event_id: { type: 'string' }, raw_sha256: { type: 'string' } },
    };
    expect(exampleOf(bare, { Known })).toEqual({
      event_id: 'evt_1',
      raw_sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  });

  it('joins the parts of allOf, and leaves out optional fields of a part without a name', () => {
    const Named: JsonObject = { type: 'object', properties: { id: { type: 'string', examples: ['x'] } } };
    const warned: JsonObject = { type: 'object', properties: { warnings: { type: 'array' } } };
    expect(exampleOf({ allOf: [{ $ref: '#/components/schemas/Named' }, warned] }, { Named })).toEqual({ id: 'x' });
  });

  it('takes the variant that is not null', () => {
    expect(exampleOf({ anyOf: [{ type: 'null' }, { type: 'boolean' }] })).toBe(true);
  });
});
