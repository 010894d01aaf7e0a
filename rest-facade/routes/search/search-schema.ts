import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { operationOf } from '../../graph-route.js';

/** Kinds of records that can be searched, and the root field of each. */
export const FIELDS = { event: 'searchEvents', document: 'searchDocuments' } as const;
export type Kind = keyof typeof FIELDS;
export const KINDS: readonly Kind[] = ['event', 'document'];
export const EVENTS = 'event';

/** Arguments of the root fields that stand at the top of the body; all others are filters. */
export const AT_TOP: readonly string[] = ['query', 'purpose', 'limit', 'cursor'];
/** A kind's cursor in base64url, in another. */
const MAX_CURSOR_LENGTH = 8_192;

/** Filters of all kinds; one that several kinds have is described as the first has it. */
export function searchBodySchema(contract: ContractDocument): JsonSchema {
  const args = Object.assign({}, ...[...KINDS].reverse().map((kind) => operationOf(contract, FIELDS[kind]).arguments));
  const schemas = Object.entries(args as Readonly<Record<string, { readonly schema: JsonSchema }>>);
  const top = (name: string): JsonSchema => schemas.find(([own]) => own === name)?.[1].schema ?? {};
  return {
    type: 'object',
    properties: {
      query: top('query'),
      kinds: {
        type: 'array',
        items: { type: 'string', enum: [...KINDS] },
        minItems: 1,
        uniqueItems: true,
        description: 'Kinds of records to look among; all that the key may read unless told.',
      },
      filters: {
        type: 'object',
        properties: Object.fromEntries(
          schemas.filter(([name]) => !AT_TOP.includes(name)).map(([name, { schema }]) => [name, schema]),
        ),
        additionalProperties: false,
        description: 'What hits must be besides.',
      },
      purpose: top('purpose'),
      limit: top('limit'),
      cursor: { ...top('cursor'), maxLength: MAX_CURSOR_LENGTH },
    },
    required: ['query'],
    additionalProperties: false,
  };
}

const membersOf = (schema: JsonSchema | undefined): JsonObject => (schema?.['properties'] as JsonObject) ?? {};
const requiredOf = (schema: JsonSchema | undefined): readonly string[] => (schema?.['required'] as string[]) ?? [];

/** What schemas have in common is required; members of each may be there. */
function eitherOf(a: JsonSchema | undefined, b: JsonSchema | undefined, required: readonly string[] = []): JsonSchema {
  const both = requiredOf(a).filter((name) => requiredOf(b).includes(name));
  return { ...b, ...a, properties: { ...membersOf(b), ...membersOf(a) }, required: [...required, ...both] };
}

const facetsSchema = ({ components: { schemas } }: ContractDocument): JsonSchema =>
  eitherOf(schemas['EventSearchFacets'], schemas['DocumentSearchFacets']);

/** Facets that every answer has, also where no kind takes the filters. */
export const commonFacets = (contract: ContractDocument): readonly string[] => requiredOf(facetsSchema(contract));

/** The pages of the kinds as one: each hit with its kind, and without what only merging needs. */
export function searchAnswerSchema(contract: ContractDocument): JsonSchema {
  const { schemas } = contract.components;
  const page = schemas['EventSearchPage'];
  const { cursors: _, ...members } = membersOf(page);
  const hit = eitherOf(schemas['EventSearchHit'], schemas['DocumentSearchHit'], ['kind']);
  const kind = { type: 'string', enum: [...KINDS], description: 'What kind of record it is.' };
  const highlight = eitherOf(schemas['SearchHighlight'], schemas['DocumentHighlight']);
  const item: JsonSchema = {
    ...hit,
    description: 'A record found.',
    properties: {
      kind,
      ...membersOf(hit),
      id: { type: 'string', description: 'The event or the document.' },
      highlights: {
        type: 'array',
        items: highlight,
        description: 'Where it shows what was looked for; three at most.',
      },
    },
  };
  return {
    ...page,
    description: 'Records found, the best first.',
    properties: {
      ...members,
      facets: facetsSchema(contract),
      items: { type: 'array', items: item, description: 'The hits of this page.' },
    },
    required: requiredOf(page).filter((name) => name !== 'cursors' && name !== 'freshness'),
  };
}
