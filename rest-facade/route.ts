import type { Readable } from 'node:stream';
import type { RequestContext } from '../shared/auth/context.js';
import type { Scope } from '../shared/auth/scopes.js';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { Custody } from '../shared/contracts/custody.js';
import type { ExceptionDesk } from '../shared/contracts/exceptions.js';
import type { TenantSummary } from '../shared/contracts/tenants.js';
import type { MasterKey } from '../shared/crypto/master-key.js';
import type { ContractDocument, JsonSchema } from '../shared/graph/json-schema.js';
import type { JsonValue } from '../shared/json/strict-json.js';
import type { Metrics } from '../shared/telemetry/metrics.js';
import type { WormStore } from '../shared/worm/worm-store.js';
import type { QueryValue } from './query-parameters.js';

// A route is data in one order: where it is, who may use it, which operation it runs, what goes in, what comes out.
// The server registers it and the OpenAPI document prints it; nothing about a route is written anywhere else.

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Required scope of a route that leaves the judgement to the graph. */
export const ANY_KEY = 'any key';

export interface Route {
  readonly method: Method;
  /** As OpenAPI writes it: `/v1/events/{id}`. */
  readonly path: string;
  readonly area: string;
  /** ANY_KEY: a key is enough, the fields asked for judge the rest. Null: open to everyone, without a key. */
  readonly scope: Scope | typeof ANY_KEY | null;
  /**
   * Tokens of member access are let in too, in place of the scope: the root fields hold them to their member (readingOf).
   * `custody`: a read with a token that was given to somebody else is in custody by the facade's entry, or by the route's own.
   */
  readonly members?: { readonly custody: 'facade' | 'own' };
  /** Whether the request is about a tenant: `optional` lets an operator's key leave it out, `none` never looks it up. */
  readonly tenant: 'required' | 'optional' | 'none';
  readonly summary: string;
  readonly description?: string;
  /** The named operation: its document is written from the contract of the root field. */
  readonly operation: RouteOperation | null;
  /** Further operations that the handler runs beside its own; see RouteCall.runBeside. */
  readonly beside?: readonly RouteOperation[];
  /** Path parameters and the argument that each one is. */
  readonly params?: Readonly<Record<string, string>>;
  /** Query parameters; a route with an operation takes that operation's arguments unless it says otherwise. */
  readonly query?: Readonly<Record<string, JsonSchema>>;
  /** Those of them that must be given. */
  readonly requiredQuery?: readonly string[];
  readonly body?: RouteBody;
  readonly response: RouteResponse;
  /** 200 unless told; the handler answers with it. */
  readonly successStatus?: 201;
  /** The 200 is bytes of one of these types in place of JSON, and takes Range; see streams/content.ts. */
  readonly content?: { readonly mediaTypes: readonly string[] };
  /** By media type: other forms of the same 200, for who names one in Accept; the handler gives a StreamedAnswer. */
  readonly otherMedia?: Readonly<Record<string, { readonly schema: JsonSchema; readonly description: string }>>;
  /**
   * The same 200 said in one of `otherMedia`, where Accept asks for it and there is one: made when the answer is sent, so that
   * a repeat under an Idempotency-Key gets it in the form that it asks for itself.
   */
  readonly restate?: (answer: unknown, accept: string) => OtherForm | null;
  /** By status: answers beside the 200 that have another form than the Error object. */
  readonly otherAnswers?: Readonly<Record<string, RouteResponse>>;
  /** The answer holds what is nowhere stored in the clear: kept encrypted where an Idempotency-Key has it kept. */
  readonly secretAnswer?: boolean;
  /** On an open route: a key that is presented all the same is held to what keys are, and tells the tenant. */
  readonly takesKey?: boolean;
  /** Answers with an entity tag though it is no single record; those have one anyway. */
  readonly entityTag?: boolean;
  /** May meet a state that has no answer yet, or none any more, though nothing is sent: 409 is among its answers. */
  readonly conflicts?: boolean;
  readonly handle: (call: RouteCall) => Promise<unknown>;
}

export interface OtherForm {
  readonly mediaType: string;
  readonly text: string;
}

export interface RouteOperation {
  /** Name of the document: unique among routes, except that routes may share one. */
  readonly name: string;
  /** Root field of the graph. */
  readonly field: string;
  /** Selected beyond what the contract says of the field: graphOnly fields that other subgraphs answer for. Not shaped. */
  readonly beyond?: string;
}

export type RouteBody = JsonRouteBody | StreamRouteBody;

export interface JsonRouteBody {
  readonly kind: 'json';
  /** What the facade holds the body to. */
  readonly schema: JsonSchema;
  /** What is printed, where the body is judged elsewhere, part by part. */
  readonly documentation?: JsonSchema;
  readonly example?: JsonValue;
  readonly maxBytes?: BodyLimit;
  /** Member that may name the tenant by its own `tenant_id`, beside the body itself. */
  readonly tenantIn?: string;
  /** No body stands for `{}`. */
  readonly optional?: boolean;
}

/** Bytes as they come; the handler reads `call.content`. */
export interface StreamRouteBody {
  readonly kind: 'stream';
  readonly mediaTypes: readonly string[];
  /** The wrapper that the same message may come in as `application/json`, where it may. */
  readonly jsonSchema?: JsonSchema;
  /** What the bytes are where they are a form; else they are the sender's own affair. */
  readonly formSchema?: JsonSchema;
  /**
   * What makes two bodies the same under an Idempotency-Key, where it is not their bytes; reads the body to its end. The handler
   * tells the same of a body that it has read itself (RawContent.tell).
   */
  readonly digest?: (content: RawContent) => Promise<string>;
}

/** A limit is read from the configuration when the server is built. */
export type BodyLimit = (limits: Config['limits']) => number;

export interface RouteResponse {
  readonly schema: JsonSchema;
  readonly description: string;
  readonly example?: JsonValue;
  /** JSON under another name than application/json; the handler's Answer says so in its headers. */
  readonly mediaType?: string;
}

/** A JSON body as parsed, and the bytes it was parsed from. */
export interface JsonBody {
  readonly bytes: Buffer;
  readonly value: JsonValue;
}

/** A request that has passed identity, tenant, scope and schema. */
export interface RouteCall {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, QueryValue>>;
  /** Present on routes with a JSON body. */
  readonly body: JsonBody | undefined;
  readonly content: RawContent | undefined;
  readonly context: RequestContext;
  readonly tenant: TenantSummary | null;
  /** Of the request: a handler that makes its own entity tags compares them with this. */
  readonly ifNoneMatch: string | undefined;
  /** Of the request; see asksFor in streams/streamed-answer.ts. */
  readonly accept: string | undefined;
  /** Of the request; see preferred-language.ts. */
  readonly acceptLanguage: string | undefined;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  /** HEAD runs the handler of GET: what is done for bytes that are given out is left undone. */
  readonly isHead: boolean;
  /** The caller's, as far as proxies are believed. */
  readonly address: string;
  readonly services: RouteServices;
  /** Runs the route's own operation and gives its root field, shaped as a REST answer. */
  run(variables: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** The same of one of the route's further operations, by its root field. */
  runBeside(field: string, variables: Readonly<Record<string, unknown>>): Promise<unknown>;
}

/** The JSON body, on a route that has one. */
export function bodyOf(call: Pick<RouteCall, 'body'>): JsonBody {
  if (!call.body) throw new Error('a route without a JSON body asked for one');
  return call.body;
}

export interface RawContent {
  readonly contentType: string;
  readonly contentLengthBytes: number | undefined;
  readonly stream: Readable;
  /** Told once by the handler of a body with a digest of its own. */
  readonly tell?: (digest: string) => void;
}

/** What handlers may reach beside their operation. */
export interface RouteServices {
  readonly limits: Config['limits'];
  readonly worm: WormStore;
  readonly masterKey: MasterKey;
  readonly clock: Clock;
  readonly custody: Custody;
  readonly exceptions: ExceptionDesk;
  readonly health: () => Promise<HealthReport>;
  readonly readiness: () => Promise<HealthReport>;
  readonly metrics: Pick<Metrics, 'ingested'>;
  readonly openApi: () => JsonValue;
  readonly graphql: (request: GraphRequest, context: RequestContext) => Promise<GraphAnswer>;
}

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, HealthCheck>>;
}

export interface HealthCheck {
  readonly status: 'ok' | 'failed';
  /** Why not, in words that may be shown to anyone. */
  readonly cause?: string;
}

export interface GraphRequest {
  readonly query?: string;
  readonly operationName?: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

export interface GraphAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** An answer with a status other than 200, or with headers of its own; one of undefined has no body. */
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

/** Builds a route once the contract is known. */
export type RouteMaker = (contract: ContractDocument) => Route;
