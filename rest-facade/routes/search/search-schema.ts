import type { ContractDocument, JsonSchema } from '../../../shared/graph/json-schema.js';
import type { JsonObject } from '../../../shared/json/strict-json.js';
import { operationOf } from '../../graph-route.js';
import { objectOf } from '../../object-of.js';

/** Kinds of records that can be searched, and the root field of each. */
export const FIELDS = { event: 'searchEvents', document: 'searchDocuments' } as const;
export type Kind = keyof typeof FIELDS;
export const KINDS: readonly Kind[] = ['event', 'document'];
export const EVENTS = 'event';

/** Arguments of the root fields that are members of the body; all others are filters. */
export const AT_TOP: readonly string[] = ['query', 'purpose', 'limit', 'cursor'];
/** A cursor that holds the cursors of the kinds in base64url. */
const MAX_CURSOR_LENGTH = 8_192;

const argumentsOf = (contract: ContractDocument, kind: Kind) => operationOf(contract, FIELDS[kind]).arguments;

/** Filters of all kinds; a filter of both kinds is described as events have it. */
export function searchBodySchema(contract: ContractDocument): JsonSchema {
  const schemas = Object.entries({ ...argumentsOf(contract, 'document'), ...argumentsOf(contract, 'event') });
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
        description: 'Kinds of records to search; by default all that the key may read.',
      },
      filters: {
        type: 'object',
        properties: Object.fromEntries(
          schemas.filter(([name]) => !AT_TOP.includes(name)).map(([name, { schema }]) => [name, schema]),
        ),
        additionalProperties: false,
        description: 'Further conditions on hits.',
      },
      purpose: top('purpose'),
      limit: top('limit'),
      cursor: { ...top('cursor'), maxLength: MAX_CURSOR_LENGTH },
    },
    required: ['query'],
    additionalProperties: false,
  };
}

const membersOf = (schema: JsonSchema | undefined): JsonObject => objectOf(schema?.['properties']);
function requiredOf(schema: JsonSchema | undefined): readonly string[] {
  const required = schema?.['required'];
  return Array.isArray(required) ? required.map(String) : [];
}

/** Combines two schemas: members that both require are required, the others are optional. */
function eitherOf(a: JsonSchema | undefined, b: JsonSchema | undefined, required: readonly string[] = []): JsonSchema {
  const both = requiredOf(a).filter((name) => requiredOf(b).includes(name));
  return { ...b, ...a, properties: { ...membersOf(b), ...membersOf(a) }, required: [...required, ...both] };
}

const facetsSchema = ({ components: { schemas } }: ContractDocument): JsonSchema =>
  eitherOf(schemas['EventSearchFacets'], schemas['DocumentSearchFacets']);

/** Facets that every answer has, even if no kind has the filters. */
export const commonFacets = (contract: ContractDocument): readonly string[] => requiredOf(facetsSchema(contract));

/** The answer: hits of all kinds, each with its kind, without the cursors that only merging needs. */
export function searchAnswerSchema(contract: ContractDocument): JsonSchema {
  const { schemas } = contract.components;
  const page = schemas['EventSearchPage'];
  const { cursors: _, ...members } = membersOf(page);
  const hit = eitherOf(schemas['EventSearchHit'], schemas['DocumentSearchHit'], ['kind']);
  const kind = { type: 'string', enum: [...KINDS], description: 'The kind of record.' };
  const highlight = eitherOf(schemas['SearchHighlight'], schemas['DocumentHighlight']);
  const item: JsonSchema = {
    ...hit,
    description: 'A hit.',
    properties: {
      kind,
      ...membersOf(hit),
      id: { type: 'string', description: 'The event or the document.' },
      highlights: {
        type: 'array',
        items: highlight,
        description: 'The matching passages; three at most.',
      },
    },
  };
  return {
    ...page,
    description: 'Hits, the best first.',
    properties: {
      ...members,
      facets: facetsSchema(contract),
      items: { type: 'array', items: item, description: 'The hits of this page.' },
    },
    required: requiredOf(page).filter((name) => name !== 'cursors' && name !== 'freshness'),
  };
}
