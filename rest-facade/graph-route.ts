import { problem } from '../shared/errors/problem.js';
import { argumentsSchema } from '../shared/graph/guard-arguments.js';
import {
  type ContractDocument,
  ContractError,
  type ContractOperation,
  type JsonSchema,
} from '../shared/graph/json-schema.js';
import { isJsonObject, type JsonValue } from '../shared/json/strict-json.js';
import type { BodyLimit, Route, RouteCall, RouteMaker } from './route.js';

/** A route that is nothing but its operation: parameters in, root field out, null is 404. */
export interface GraphRouteSpec
  extends Pick<
    Route,
    | 'method'
    | 'path'
    | 'area'
    | 'scope'
    | 'tenant'
    | 'summary'
    | 'description'
    | 'params'
    | 'secretAnswer'
    | 'conflicts'
    | 'members'
  > {
  readonly operation: { readonly name: string; readonly field: string };
  /**
   * `arguments`: the body's members are the arguments; a name: the body is that argument; `free`: any object, which plays
   * no part.
   */
  readonly body?: GraphBody;
  /** No body stands for `{}`. */
  readonly bodyOptional?: boolean;
  /** Member of the body that may name the tenant too. */
  readonly bodyTenantIn?: string;
  readonly bodyExample?: JsonValue;
  /** Where it may be larger than other bodies. */
  readonly maxBodyBytes?: BodyLimit;
  readonly answer: string;
  /** Query parameters when they are not simply the remaining arguments. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
}

type GraphBody = 'arguments' | 'free' | { readonly argument: string };

export function graphRoute(spec: GraphRouteSpec): RouteMaker {
  return (contract) => {
    const operation = operationOf(contract, spec.operation.field);
    const {
      body,
      bodyExample,
      bodyOptional = body === 'free',
      bodyTenantIn,
      maxBodyBytes,
      answer,
      query,
      ...rest
    } = spec;
    const bodySchema = body === undefined ? undefined : bodySchemaOf(operation, body, spec.params ?? {});
    const inQuery = body === undefined || body === 'free' ? queryArguments(operation, spec.params ?? {}) : [];
    return {
      ...rest,
      query: query ?? Object.fromEntries(inQuery.map(([name, { schema }]) => [name, schema])),
      ...(query === undefined ? { requiredQuery: inQuery.flatMap(([name, it]) => (it.required ? [name] : [])) } : {}),
      ...(bodySchema
        ? {
            body: {
              kind: 'json',
              schema: bodySchema,
              ...(bodyExample === undefined ? {} : { example: bodyExample }),
              ...(bodyOptional ? { optional: true } : {}),
              ...(bodyTenantIn === undefined ? {} : { tenantIn: bodyTenantIn }),
              ...(maxBodyBytes === undefined ? {} : { maxBytes: maxBodyBytes }),
            },
          }
        : {}),
      response: { schema: withoutNull(operation.result), description: answer },
      handle: async (call) => {
        const found = await call.run(variablesOf(spec, call));
        if (found === null) throw problem('NOT_FOUND');
        return found;
      },
    };
  };
}

export function operationOf(contract: ContractDocument, field: string): ContractOperation {
  const operation = contract.operations[field];
  if (!operation) throw new ContractError(`the contract has no root field ${field}: run npm run compose`);
  return operation;
}

/** A root field that may be null is a record that may be missing: then the answer is 404 and never null. */
export function withoutNull(schema: JsonSchema): JsonSchema {
  const [only] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return isJsonObject(only) ? only : schema;
}

function variablesOf(spec: GraphRouteSpec, call: RouteCall): Record<string, unknown> {
  const variables: Record<string, unknown> = { ...call.query };
  if (spec.body === 'arguments') Object.assign(variables, call.body?.value);
  else if (typeof spec.body === 'object') variables[spec.body.argument] = call.body?.value;
  for (const [name, argument] of Object.entries(spec.params ?? {})) variables[argument] = call.params[name];
  return variables;
}

function queryArguments(operation: ContractOperation, params: Readonly<Record<string, string>>) {
  const inPath = new Set(Object.values(params));
  return Object.entries(operation.arguments).filter(([name]) => !inPath.has(name));
}

function bodySchemaOf(
  operation: ContractOperation,
  body: GraphBody,
  params: Readonly<Record<string, string>>,
): JsonSchema {
  if (body === 'free') return { type: 'object', additionalProperties: true };
  if (body !== 'arguments') {
    const argument = operation.arguments[body.argument];
    if (!argument) throw new ContractError(`there is no argument ${body.argument}`);
    return argument.schema;
  }
  const inPath = new Set(Object.values(params));
  const rest = Object.entries(operation.arguments).filter(([name]) => !inPath.has(name));
  return argumentsSchema({ ...operation, arguments: Object.fromEntries(rest) });
}
