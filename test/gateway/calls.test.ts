import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { buildASTSchema, type DocumentNode, type GraphQLSchema, Kind, parse, validate } from 'graphql';
import { z } from 'zod';
import { repositoryFile } from '../../app/repository.js';
import { callerOver } from '../../gateway/caller.js';
import { LocalDataSource } from '../../gateway/local-data-source.js';
import type { SubgraphSource } from '../../gateway/subgraph-source.js';
import { SUBGRAPH_DEFINITIONS } from '../../gateway/subgraphs.js';
import type { Call } from '../../shared/contracts/call.js';
import { CALLS } from '../../shared/contracts/calls.js';
import { Problem } from '../../shared/errors/problem.js';
import { buildGraph } from '../../shared/graph/subgraph.js';
import type { SubgraphName } from '../../shared/graph/subgraph-names.js';
import type { TenantId } from '../../shared/ids/tenant.js';
import { recordingLogger } from '../support/fakes.js';

const TENANT = 'acme' as TenantId;
const calls = [...CALLS.values()];

/** A value that fits the schema. */
function sample(schema: z.core.$ZodType): unknown {
  const { def } = schema._zod as { readonly def: z.core.$ZodTypes['_zod']['def'] };
  switch (def.type) {
    case 'string':
      return 'text';
    case 'number':
      return 1;
    case 'boolean':
      return true;
    case 'literal':
      return def.values[0];
    case 'enum':
      return Object.values(def.entries)[0];
    case 'array':
      return [sample(def.element)];
    case 'tuple':
      return def.items.map(sample);
    case 'record':
      return { key: sample(def.valueType) };
    case 'object':
      return Object.fromEntries(Object.entries(def.shape).map(([name, member]) => [name, sample(member)]));
    case 'nullable':
    case 'optional':
      return sample(def.innerType);
    case 'pipe':
      return sample(def.in);
    case 'custom':
      return z.safeParse(schema, 'text').success ? 'text' : {};
    default:
      throw new Error(`no sample of ${def.type}`);
  }
}

/** Like `sample`, for strings with a check that a plain sample would fail. */
const fitting = (schema: z.core.$ZodType): unknown => {
  const value = sample(schema);
  return JSON.parse(
    JSON.stringify(value)
      .replaceAll('"action":"text"', '"action":"DISPOSE"')
      .replaceAll('"actions":["text"]', '"actions":["DISPOSE"]')
      .replaceAll('"previous":"text"', `"previous":"${'00'.repeat(32)}"`)
      .replaceAll('"sha256":"text"', `"sha256":"${'00'.repeat(32)}"`)
      .replaceAll('"media_type":"text"', '"media_type":"text/plain"'),
  );
};

type AnyCall = (typeof calls)[number];
const inputOf = ({ input }: AnyCall): Record<string, unknown> =>
  Object.fromEntries(Object.entries(input).map(([name, { schema }]) => [name, fitting(schema)]));

const asCall = (call: AnyCall): Call => call;

const { logger, lines } = recordingLogger();
const schemas = new Map<SubgraphName, GraphQLSchema>();
const sources = new Map<SubgraphName, SubgraphSource>();

beforeAll(async () => {
  for (const definition of SUBGRAPH_DEFINITIONS) {
    // Every resolver answers with a sample of its call.
    const answering = new Proxy(
      {},
      {
        get: (_, name) => {
          // One resolver class serves the states of each subgraph, under the subgraph's own name.
          const call = name === 'states' ? statesCallOf(definition.name) : CALLS.get(String(name));
          return call && (async () => fitting(call.output));
        },
      },
    );
    const { schema } = await buildGraph(definition, { get: () => answering });
    schemas.set(definition.name, schema);
    sources.set(definition.name, new LocalDataSource(schema, logger));
  }
});

const statesCallOf = (subgraph: SubgraphName) =>
  calls.find((call) => call.subgraph === subgraph && call.name.endsWith('RecordStates'));

const failure = async (work: Promise<unknown>): Promise<Problem> => {
  const error = await work.then(
    () => new Error('the call succeeded'),
    (reason: unknown) => reason,
  );
  if (error instanceof Problem) return error;
  throw error;
};

describe('the table of calls', () => {
  it('lists exactly the inaccessible root fields of the graph', () => {
    const supergraph = parse(readFileSync(repositoryFile('gateway/supergraph.graphql'), 'utf8'));
    expect(calls.map(({ name }) => name).sort()).toEqual(inaccessibleRootFields(supergraph).sort());
  });

  it.each(calls.map((call) => [call.name, call] as const))('%s: the document fits the serving subgraph', (_, call) => {
    const schema = schemas.get(call.subgraph) ?? buildASTSchema(parse('type Query { none: Int }'));
    expect(validate(schema, parse(call.document)).map(({ message }) => message)).toEqual([]);
  });
});

describe.each(calls.map((call) => [call.name, call] as const))('the call %s', (name, call) => {
  it('passes arguments and answer', async () => {
    const answer = await callerOver(sources, 'test')(asCall(call), TENANT, inputOf(call));
    expect(answer).toEqual(call.output.parse(fitting(call.output)));
  });

  it('fails with UNAVAILABLE for an answer of another version', async () => {
    const source = {
      fetch: async () => ({ data: { [name]: { of: 'another version' } } }),
    } as unknown as SubgraphSource;
    const caller = callerOver(new Map([[call.subgraph, source]]), 'test');
    const { code, details } = await failure(caller(asCall(call), TENANT, inputOf(call)));
    expect(code).toBe('UNAVAILABLE');
    expect(details.internal).toContain(`call ${name} to ${call.subgraph}: answer`);
  });
});

const withJson = calls.flatMap((call) =>
  Object.entries(call.input).flatMap(([argument, { type }]) =>
    type.includes('JSON') ? [[call.name, argument] as const] : [],
  ),
);

describe.each(withJson)('the call %s', (name, argument) => {
  it(`fails with UNAVAILABLE for an argument ${argument} of another version`, async () => {
    const call = CALLS.get(name) as AnyCall;
    const wrong = call.input[argument]?.type.startsWith('[') ? [7] : 7;
    const { code } = await failure(
      callerOver(sources, 'test')(asCall(call), TENANT, { ...inputOf(call), [argument]: wrong }),
    );
    expect(code).toBe('UNAVAILABLE');
    expect(
      lines.some((line) => JSON.stringify(line).includes(`call ${name} to ${call.subgraph}: argument ${argument}`)),
    ).toBe(true);
  });
});

describe('a skewed answer', () => {
  it('names the path of the wrong value and not the value', async () => {
    const call = CALLS.get('planDisposal') as AnyCall;
    const data = {
      planDisposal: { candidates: [{ ...Object(fitting(call.output)), event_id: 'secret' }], next: null },
    };
    const source = { fetch: async () => ({ data }) } as unknown as SubgraphSource;
    const caller = callerOver(new Map([[call.subgraph, source]]), 'test');
    const { details } = await failure(caller(asCall(call), TENANT, inputOf(call)));
    expect(details.internal).toBe(
      'call planDisposal to ledger: answer at /candidates/0/source_system: Invalid input: expected string, received undefined; check that all processes run one version',
    );
    expect(details.retryAfterSeconds).toBe(1);
  });
});

function inaccessibleRootFields(document: DocumentNode): string[] {
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OBJECT_TYPE_DEFINITION || !['Query', 'Mutation'].includes(definition.name.value))
      return [];
    return (definition.fields ?? [])
      .filter(({ directives }) => directives?.some((directive) => directive.name.value === 'inaccessible'))
      .map((field) => field.name.value);
  });
}
