import type { JsonSchema } from '../graph/json-schema.js';
import { contractOf, type Validator } from '../graph/validator.js';
import { EVENT_KINDS, type EventKindName } from './event-kinds.js';

const { compile } = contractOf({ components: { schemas: {} }, operations: {} });

/** Rejects members that the catalogue does not name: only thin bodies may leave (api.md section 7 "Body"). */
const validators = new Map<string, Validator>(
  Object.entries(EVENT_KINDS).map(([kind, { data }]) => [
    kind,
    compile({
      type: 'object',
      // The catalogue writes the schemas as constants, with read-only lists.
      properties: data as unknown as Record<string, JsonSchema>,
      required: Object.keys(data),
      additionalProperties: false,
    }),
  ]),
);

/** Where `data` departs from the schema that the catalogue publishes for its kind, and how; empty when it fits. */
export const faultsOfData = (kind: EventKindName, data: unknown): readonly string[] =>
  (validators.get(kind)?.(data) ?? []).map(({ path, code }) => `${path} ${code}`.trim());
