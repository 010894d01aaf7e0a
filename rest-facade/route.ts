import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { RequestContext } from '../shared/auth/context.js';
import type { Scope } from '../shared/auth/scopes.js';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { Custody } from '../shared/contracts/custody.js';
import type { ExceptionDesk } from '../shared/contracts/exceptions.js';
import type { TenantSummary } from '../shared/contracts/tenants.js';
import type { MasterKey } from '../shared/crypto/master-key.js';
import type { Texts } from '../shared/evidence/edx/production.js';
import type { ContractDocument, JsonSchema } from '../shared/graph/json-schema.js';
import type { JsonValue } from '../shared/json/strict-json.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import type { WormStore } from '../shared/worm/worm-store.js';
import type { FreeForm } from './free-form.js';
import type { SessionCookie } from './plugins/session-cookie.js';
import type { SharedTokens } from './plugins/shared-tokens.js';
import type { QueryValue } from './query-parameters.js';

// A route is data: place, access, operation, input, output. The server registers it and the OpenAPI document prints it.

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type Method = (typeof METHODS)[number];

export const isMethod = (text: string): text is Method => METHODS.some((method) => method === text);

/** Required scope of a route with fields that the graph checks. */
export const ANY_KEY = 'any key';

export interface Route {
  readonly method: Method;
  /** As OpenAPI writes it: `/v1/events/{id}`. */
  readonly path: string;
  readonly area: string;
  /** ANY_KEY: any key may call it, and the graph checks each field. Null: open without a key. */
  readonly scope: Scope | typeof ANY_KEY | null;
  /**
   * Accepts member tokens in place of the scope: the root fields limit them to their member (readingOf).
   * `custody`: who records a read with a token that another person holds: the facade, or the route itself.
   */
  readonly members?: { readonly custody: 'facade' | 'own' };
  /** Whether the request names a tenant. `optional`: an operator's key may leave it out. `none`: it is never looked up. */
  readonly tenant: 'required' | 'optional' | 'none';
  readonly summary: string;
  readonly description?: string;
  /** The named operation; its document is made from the contract of the root field. */
  readonly operation: RouteOperation | null;
  /** Name in the OpenAPI description where the operation gives none. */
  readonly operationId?: string;
  /** Further operations that the handler runs; see RouteCall.runFurther. */
  readonly furtherOperations?: readonly RouteOperation[];
  /** The argument of each path parameter. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters; by default the arguments of the operation. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Names of required query parameters. */
  readonly requiredQuery?: readonly string[];
  readonly body?: RouteBody;
  /** Set where the specification's body is a free-form object. */
  readonly freeForm?: FreeForm;
  readonly response: RouteResponse;
  /** 200 by default; the handler answers with it. */
  readonly successStatus?: 201;
  /** The 200 is bytes of one of these types instead of JSON, and supports Range; see streams/content.ts. */
  readonly content?: { readonly mediaTypes: readonly string[] };
  /** Other forms of the same 200 by media type, chosen by Accept; the handler returns a StreamedAnswer. */
  readonly otherMedia?: Readonly<Record<string, OtherMedia>>;
  /**
   * Converts the 200 to one of `otherMedia` that Accept names. It runs when the answer is sent, so that a repeat under an
   * Idempotency-Key gets the form that it asks for.
   */
  readonly restate?: (answer: unknown, accept: string) => OtherForm | null;
  /** By status: further answers that are not the Error object. */
  readonly otherAnswers?: Readonly<Record<string, RouteResponse>>;
  /** The answer contains a secret: a copy stored for an Idempotency-Key is encrypted. */
  readonly secretAnswer?: boolean;
  /** On an open route: a presented key must be valid, and names the tenant. */
  readonly takesKey?: boolean;
  /**
   * A POST that only reads, by a mutation or without an operation. Its answer is made again for every request: a copy kept
   * for an Idempotency-Key could disclose data that was hidden meanwhile.
   */
  readonly reads?: boolean;
  /** A read that is no query of the graph, and stops when its client leaves; queries do so anyway. */
  readonly stopsWithClient?: boolean;
  /** Headers of every answer of the route, errors included. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Answers with an entity tag; single records have one anyway. */
  readonly entityTag?: boolean;
  /** A read that may answer 409, because the record is not ready yet or is gone. */
  readonly conflicts?: boolean;
  readonly handle: (call: RouteCall) => Promise<unknown>;
}

export interface OtherForm {
  readonly mediaType: string;
  readonly text: string;
}

export interface RouteOperation {
  /** Name of the document; routes may share one. */
  readonly name: string;
  /** Root field of the graph. */
  readonly field: string;
  /** Selects graphOnly fields of other subgraphs in addition to the contract; their values are not shaped. */
  readonly beyond?: string;
}

type RouteBody = JsonRouteBody | StreamRouteBody;

export interface JsonRouteBody {
  readonly kind: 'json';
  /** The schema that the facade checks. */
  readonly schema: JsonSchema;
  /** The printed schema, if the body is checked elsewhere. */
  readonly documentation?: JsonSchema;
  readonly example?: JsonValue;
  readonly maxBytes?: BodyLimit;
  /** Name of the body member with a `tenant_id` that may name the tenant, in addition to the body's. */
  readonly tenantIn?: string;
  /** An empty body counts as `{}`. */
  readonly optional?: boolean;
}

/** A stream of bytes; the handler reads `call.content`. */
interface StreamRouteBody {
  readonly kind: 'stream';
  readonly mediaTypes: readonly string[];
  /** True if the route takes `Content-Encoding: gzip`. */
  readonly takesGzip?: boolean;
  /** Schema of the JSON wrapper of the message, if the route accepts one. */
  readonly jsonSchema?: JsonSchema;
  /** Example of the wrapper; derived from its schema if absent. */
  readonly jsonExample?: JsonValue;
  /** Schema of a form, if the route accepts one. */
  readonly formSchema?: JsonSchema;
  /**
   * Returns the digest that identifies a body of this Content-Type under an Idempotency-Key, if it is not the hash of the
   * bytes. It reads the body to its end. The handler reports the same digest for a body that it has read
   * (RawContent.reportDigest).
   */
  readonly digestOf?: (contentType: string) => ContentDigest | undefined;
}

export type ContentDigest = (content: RawContent, limits: Config['limits']) => Promise<string>;

/** Reads a limit from the configuration when the server is built. */
export type BodyLimit = (limits: Config['limits']) => number;

/** A form of an answer other than its JSON. */
interface OtherMedia {
  readonly description: string;
  /** Absent for bytes: their media type has an example. */
  readonly example?: string | undefined;
}

export interface RouteResponse {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example?: JsonValue;
  /** Media type of JSON other than application/json; the handler's Answer sets the header. */
  readonly mediaType?: string;
}

/** A parsed JSON body with its bytes. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: JsonValue;
}

/** A request that has passed the checks of identity, tenant, scope and schema. */
export interface RouteCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  /** Present on routes with a JSON body. */
  readonly body: JsonBody | undefined;
  readonly content: RawContent | undefined;
  readonly context: RequestContext;
  readonly tenant: TenantSummary | null;
  /** If-None-Match of the request, for handlers that make entity tags. */
  readonly ifNoneMatch: string | undefined;
  /** Accept of the request; see asksFor in streams/streamed-answer.ts. */
  readonly accept: string | undefined;
  /** Accept-Language of the request; see preferred-language.ts. */
  readonly acceptLanguage: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  /** HEAD runs the handler of GET without the side effects of returned bytes. */
  readonly isHead: boolean;
  /** The caller's address, as trusted proxies report it. */
  readonly address: string;
  /** Sets the cookie of a session; null for a request that may not open one. */
  readonly cookie: SessionCookie | null;
  readonly services: RouteServices;
  /** Runs the operation of the route and returns its root field, shaped as a REST answer. */
  run(variables: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** Runs the operation of the route and parses its root field. @throws UNAVAILABLE for a subgraph of another version */
  read<T>(schema: z.ZodType<T>, variables: Readonly<Record<string, unknown>>): Promise<T>;
  /** Runs one of the further operations, by its root field. */
  runFurther(field: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** Returns the JSON body of a route that has one. */
export function bodyOf(call: Pick<RouteCall, 'body'>): JsonBody {
  if (!call.body) throw new Error('a route without a JSON body asked for one');
  return call.body;
}

export interface RawContent {
  readonly contentType: string;
  readonly contentLengthBytes: number | undefined;
  /** True for `Content-Encoding: gzip`, on a route that takes it. */
  readonly isGzip: boolean;
  readonly stream: Readable;
  /** Called once by the handler of a body, for a route that defines a digest. */
  readonly reportDigest?: (digest: string) => void;
}

/** Services for handlers. */
export interface RouteServices {
  readonly limits: Config['limits'];
  readonly worm: WormStore;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly custody: Custody;
  readonly exceptions: ExceptionDesk;
  readonly sharedTokens: SharedTokens;
  readonly health: () => Promise<HealthReport>;
  readonly readiness: () => Promise<HealthReport>;
  readonly metrics: Pick<Metrics, 'ingested'>;
  /** Extracts the texts of documents for productions. */
  readonly texts: Texts;
  readonly openApi: () => JsonValue;
  readonly graphql: (request: GraphRequest, context: RequestContext) => Promise<GraphAnswer>;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

interface HealthCheck {
  readonly status: 'ok' | 'failed';
  /** The cause of a failure, in public words. */
  readonly cause?: string;
  /** What may be shown to anyone about the part. */
  readonly details?: object;
}

export interface GraphRequest {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface GraphAnswer {
  readonly status: number;
  readonly body: { readonly data?: unknown; readonly errors?: unknown };
  /** Cost of a caller's own query that was run. */
  readonly cost?: number;
}

/** An answer with another status than 200, or with headers. An undefined body is empty. */
export class Answer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** Builds a route from the contract. */
export type RouteMaker = (contract: ContractDocument) => Route;
