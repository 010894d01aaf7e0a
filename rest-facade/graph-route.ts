import { problem } from '../shared/errors/problem.js';
import { argumentsSchema } from '../shared/graph/guard-arguments.js';
import {
  type ContractDocument,
  ContractError,
  type ContractOperation,
  type JsonSchema,
} from '../shared/graph/json-schema.js';
import { isJsonObject, type JsonValue } from '../shared/json/strict-json.js';
import { withWarnings } from './free-form.js';
import type { BodyLimit, Route, RouteCall } from './route.js';

/** Where a route is and who may use it: the part that routeTable fills in from the area. */
export type RoutePlace = Pick<Route, 'method' | 'path' | 'area' | 'scope' | 'tenant'>;

/** A route that only runs its operation: parameters go in, the root field comes out, null is 404. */
export interface GraphRouteEntry
  extends Pick<
    Route,
    | 'summary'
    | 'description'
    | 'params'
    | 'secretAnswer'
    | 'conflicts'
    | 'members'
    | 'freeForm'
    | 'operationId'
    | 'stopsWithClient'
  > {
  readonly operation: { readonly name: string; readonly field: string };
  /**
   * `arguments`: the members of the body are the arguments. A name: the body is that argument. `free`: any object, ignored.
   * By default a GET or DELETE has no body; another method has the argument `input`, else the arguments, else `free`.
   */
  readonly body?: GraphBody | 'none';
  /** An empty body counts as `{}`. */
  readonly bodyOptional?: boolean;
  /** Member of the body that may name the tenant too. */
  readonly bodyTenantIn?: string;
  readonly bodyExample?: JsonValue;
  /** Set where the body may be larger than the default. */
  readonly maxBodyBytes?: BodyLimit;
  readonly answer: string;
  /** Query parameters where they differ from the remaining arguments. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Arguments that the path itself settles. */
  readonly constants?: Readonly<Record<string, JsonValue>>;
  /** Replaces parts of the finished route: other forms of the answer, its own handler. */
  readonly extend?: ExtendRoute;
}

export type ExtendRoute = (route: Route, contract: ContractDocument) => Partial<Route>;

type GraphBody = 'arguments' | 'free' | { readonly argument: string };

export function graphRoute(place: RoutePlace, entry: GraphRouteEntry, contract: ContractDocument): Route {
  const operation = operationOf(contract, entry.operation.field);
  const body = bodyOf(place, entry, operation);
  const {
    body: _body,
    bodyExample,
    bodyOptional = body === 'free',
    bodyTenantIn,
    maxBodyBytes,
    answer,
    query,
    constants: _,
    extend,
    ...rest
  } = entry;
  const isFree = entry.freeForm !== undefined;
  const bodySchema = body === undefined ? undefined : bodySchemaOf(operation, body, entry.params ?? {}, isFree);
  const result = withoutNull(operation.result);
  const inQuery = body === undefined || body === 'free' ? queryArguments(operation, entry.params ?? {}) : [];
  const route: Route = {
    ...place,
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
    response: { schema: isFree ? withWarnings(result) : result, description: answer },
    handle: async (call) => {
      const found = await call.run(variablesOf(body, entry, call));
      if (found === null) throw problem('NOT_FOUND');
      return found;
    },
  };
  return extend ? { ...route, ...extend(route, contract) } : route;
}

export function operationOf(contract: ContractDocument, field: string): ContractOperation {
  const operation = contract.operations[field];
  if (!operation) throw new ContractError(`the contract has no root field ${field}: run npm run compose`);
  return operation;
}

/** A root field that may be null is a record that may be missing: then the answer is 404 and never null. */
function withoutNull(schema: JsonSchema): JsonSchema {
  const [only] = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return isJsonObject(only) ? only : schema;
}

function bodyOf(
  { method }: RoutePlace,
  { body, params = {} }: GraphRouteEntry,
  operation: ContractOperation,
): GraphBody | undefined {
  if (body !== undefined) return body === 'none' ? undefined : body;
  if (method === 'GET' || method === 'DELETE') return undefined;
  if (operation.arguments['input']) return { argument: 'input' };
  return queryArguments(operation, params).length > 0 ? 'arguments' : 'free';
}

function variablesOf(
  body: GraphBody | undefined,
  { params = {}, constants }: GraphRouteEntry,
  call: RouteCall,
): Record<string, unknown> {
  const variables: Record<string, unknown> = { ...call.query };
  if (body === 'arguments') Object.assign(variables, call.body?.value);
  else if (typeof body === 'object') variables[body.argument] = call.body?.value;
  for (const [name, argument] of Object.entries(params)) variables[argument] = call.params[name];
  return { ...variables, ...constants };
}

function queryArguments(operation: ContractOperation, params: Readonly<Record<string, string>>) {
  const inPath = new Set(Object.values(params));
  return Object.entries(operation.arguments).filter(([name]) => !inPath.has(name));
}

function bodySchemaOf(
  operation: ContractOperation,
  body: GraphBody,
  params: Readonly<Record<string, string>>,
  isFree: boolean,
): JsonSchema {
  if (body === 'free') return { type: 'object', additionalProperties: true };
  if (body !== 'arguments') {
    const argument = operation.arguments[body.argument];
    if (!argument) throw new ContractError(`there is no argument ${body.argument}`);
    return argument.schema;
  }
  const rest = queryArguments(operation, params);
  const schema = argumentsSchema({ ...operation, arguments: Object.fromEntries(rest) });
  return isFree ? { ...schema, additionalProperties: true } : schema;
}
