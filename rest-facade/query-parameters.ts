import { type FieldFault, fault, problem, unknownName } from '../shared/errors/problem.js';
import type { JsonSchema } from '../shared/graph/json-schema.js';
import type { Contract, Validator } from '../shared/graph/validator.js';
import { nearestName } from '../shared/text/nearest-name.js';
import { rangeFaults } from '../shared/time/range-order.js';

export type QueryValue = string | number | boolean;

/** Reads a query string by its declared parameters. @throws VALIDATION_ERROR, also for an unknown or repeated one */
export type ReadQuery = (query: Readonly<Record<string, unknown>>) => Readonly<Record<string, QueryValue>>;

/** Parameters of every route (specification, "Common parameters"); the tenant step reads them. */
const COMMON = new Set(['tenant_id']);

const INTEGER = /^-?\d{1,16}$/;

/**
 * @param parameters schema of each parameter: the text is read as its type, then checked by it.
 * @param required names of the required parameters
 */
export function queryReader(
  parameters: Readonly<Record<string, JsonSchema>>,
  contract: Contract,
  required: readonly string[] = [],
): ReadQuery {
  const faultsOf: Validator = contract.compile({
    type: 'object',
    properties: { ...parameters },
    required: [...required],
  });
  return (query) => {
    const values: Record<string, QueryValue> = {};
    const errors: FieldFault[] = [];
    for (const [name, text] of Object.entries(query)) {
      const schema = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
      if (!schema) {
        if (COMMON.has(name)) continue;
        const nearest = nearestName(name, Object.keys(parameters));
        errors.push(unknownName(`/${name.slice(0, 100)}`, { code: 'unknown_parameter', noun: 'parameter', nearest }));
      } else if (typeof text !== 'string') {
        errors.push(fault(`/${name}`, 'repeated', 'Must be given once.'));
      } else {
        values[name] = readAs(schema['type'], text);
      }
    }
    errors.push(...faultsOf(values), ...rangeFaults(values));
    if (errors.length > 0) throw problem('VALIDATION_ERROR', { errors });
    return values;
  };
}

/** Keeps text that is not of the type, or an inexact number, so that the schema rejects it. */
function readAs(type: unknown, text: string): QueryValue {
  if (type === 'integer' || type === 'number') {
    return INTEGER.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : text;
  }
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text;
  return text;
}
