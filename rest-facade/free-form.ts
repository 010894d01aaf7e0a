import { fault, type Problem, problem } from '../shared/errors/problem.js';
import { SCHEMA_REF_PREFIX } from '../shared/graph/contract-field.js';
import type { ContractDocument, JsonSchema } from '../shared/graph/json-schema.js';
import { pointerToken } from '../shared/graph/validator.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../shared/json/strict-json.js';
import { nearestName } from '../shared/text/nearest-name.js';

// Free-form bodies (specification, "Endpoints"): members that the service does not know are no errors. They are moved to
// `extra`, where they keep their places, and the answer lists them.

/** A member of a free-form body that the service does not know. */
export interface BodyWarning {
  readonly pointer: string;
  readonly code: 'unknown_field';
  readonly did_you_mean?: string;
}

interface OpenedBody {
  readonly value: JsonValue;
  readonly warnings: readonly BodyWarning[];
}

/** Takes the unknown members out of a body. @throws VALIDATION_ERROR if `extra` names a member twice */
export type OpenFreeForm = (value: JsonValue) => OpenedBody;

/** `kept`: unknown members go to `extra`. `ignored`: the route stores nothing of the body, so they are only listed. */
export type FreeForm = 'kept' | 'ignored';

/** Limit of listed members. */
const MAX_WARNINGS = 100;
const MAX_POINTER_LENGTH = 200;

/** Unknown members at their places: members of lists are named by their index. */
type Unknown = Map<string, JsonValue>;

export function freeFormOf(freeForm: FreeForm, schema: JsonSchema, contract: ContractDocument): OpenFreeForm {
  return (value) => {
    if (!isJsonObject(value)) return { value, warnings: [] };
    const taking = new Taking(contract);
    const [known, unknown] = taking.split(value, schema, '', true);
    if (unknown.size === 0) return { value, warnings: [] };
    const opened = freeForm === 'ignored' ? known : withExtra(known, unknown);
    return { value: opened, warnings: taking.warnings };
  };
}

/** A client that gives a record back sends `extra` too. */
function withExtra(known: JsonObject, unknown: Unknown): JsonObject {
  const { extra } = known;
  if (extra !== undefined && !isJsonObject(extra)) return known;
  const given = new Map(Object.entries(extra ?? {}));
  const twice = [...unknown.keys()].find((name) => given.has(name));
  if (twice !== undefined) throw repeated(twice);
  return { ...known, extra: Object.fromEntries([...given, ...unknown]) };
}

const repeated = (name: string): Problem => {
  const path = `/extra/${pointerToken(name)}`.slice(0, MAX_POINTER_LENGTH);
  return problem('VALIDATION_ERROR', { errors: [fault(path, 'repeated', 'The body and `extra` both hold it.')] });
};

class Taking {
  readonly warnings: BodyWarning[] = [];
  readonly #contract: ContractDocument;

  constructor(contract: ContractDocument) {
    this.#contract = contract;
  }

  /** @param isFree whether members beyond the schema's are unknown even if the schema admits them */
  split(value: JsonObject, asked: JsonSchema, pointer: string, isFree: boolean): readonly [JsonObject, Unknown] {
    const schema = this.#resolved(asked);
    const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
    const isClosed = isFree || schema['additionalProperties'] === false;
    const missing = Object.keys(properties).filter((name) => !Object.hasOwn(value, name));
    const known: [string, JsonValue][] = [];
    const unknown: Unknown = new Map();
    for (const [name, member] of Object.entries(value)) {
      const at = `${pointer}/${pointerToken(name)}`;
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      if (!isJsonObject(inner)) {
        if (isClosed) {
          this.#warn(at, nearestName(name, missing));
          unknown.set(name, member);
        } else known.push([name, member]);
        continue;
      }
      const [kept, beyond] = this.#member(member, inner, at);
      known.push([name, kept]);
      if (beyond !== null) unknown.set(name, beyond);
    }
    return [Object.fromEntries(known), unknown];
  }

  #member(value: JsonValue, asked: JsonSchema, at: string): readonly [JsonValue, JsonObject | null] {
    if (isJsonObject(value)) {
      const [known, unknown] = this.split(value, asked, at, false);
      return unknown.size === 0 ? [value, null] : [known, Object.fromEntries(unknown)];
    }
    const items = this.#resolved(asked)['items'];
    if (!Array.isArray(value) || !isJsonObject(items)) return [value, null];
    const unknown: Unknown = new Map();
    const known = value.map((item, index): JsonValue => {
      const [kept, beyond] = this.#member(item, items, `${at}/${index}`);
      if (beyond !== null) unknown.set(String(index), beyond);
      return kept;
    });
    return unknown.size === 0 ? [value, null] : [known, Object.fromEntries(unknown)];
  }

  #warn(at: string, nearest: string | undefined): void {
    if (this.warnings.length >= MAX_WARNINGS) return;
    const pointer = at.slice(0, MAX_POINTER_LENGTH);
    this.warnings.push({ pointer, code: 'unknown_field', ...(nearest === undefined ? {} : { did_you_mean: nearest }) });
  }

  #resolved(schema: JsonSchema): JsonSchema {
    const ref = schema['$ref'];
    if (typeof ref !== 'string') return schema;
    return this.#contract.components.schemas[ref.slice(SCHEMA_REF_PREFIX.length)] ?? schema;
  }
}

/** The answer of a free-form route: its own members, and the unknown members of the body. */
export const withWarnings = (schema: JsonSchema): JsonSchema => ({ allOf: [schema, WARNED] });

const WARNED: JsonSchema = {
  type: 'object',
  properties: {
    warnings: {
      type: 'array',
      description: 'Members of the body that the service does not know; absent without any.',
      maxItems: MAX_WARNINGS,
      items: {
        type: 'object',
        properties: {
          pointer: { type: 'string', description: 'JSON Pointer to the member.', examples: ['/memberid'] },
          code: { type: 'string', enum: ['unknown_field'], description: 'Code of the warning.' },
          did_you_mean: { type: 'string', description: 'The known name that is nearest.', examples: ['member_id'] },
        },
        required: ['pointer', 'code'],
      },
    },
  },
};
