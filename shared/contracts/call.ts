import { z } from 'zod';
import { type Problem, problem } from '../errors/problem.js';
import type { SubgraphName } from '../graph/subgraph-names.js';
import { isJsonObject, type JsonObject } from '../json/strict-json.js';

// Calls between subgraphs. Each is one `defineCall` next to the types that it carries; the client parses the answer and the
// serving subgraph parses the arguments, so that processes of different versions fail clearly and never pass a wrong value.

/** An argument of the root field: its type in the graph, and the schema of its value. */
interface Argument<T> {
  readonly type: string;
  readonly schema: z.ZodType<T>;
}

type Arguments = Readonly<Record<string, Argument<unknown>>>;
type ValuesOf<A extends Arguments> = { readonly [K in keyof A]: z.output<A[K]['schema']> };

/** One root field that only other parts of the service call. `I` holds its arguments by name. */
export interface Call<I = Readonly<Record<string, unknown>>, O = unknown> {
  readonly subgraph: SubgraphName;
  /** Name of the root field. */
  readonly name: string;
  readonly document: string;
  readonly input: Arguments;
  readonly output: z.ZodType<O>;
  /** Carries the type of the arguments; never set. */
  readonly inputType?: I;
}

interface CallSpec<A extends Arguments, O> {
  readonly subgraph: SubgraphName;
  readonly kind: 'query' | 'mutation';
  readonly name: string;
  readonly input: A;
  readonly output: z.ZodType<O>;
}

/** Defines a call. Add it to the table in `calls.ts`, and serve it by an `@inaccessible` root field of the same name. */
export function defineCall<A extends Arguments, O>({
  subgraph,
  kind,
  name,
  input,
  output,
}: CallSpec<A, O>): Call<ValuesOf<A>, O> {
  const names = Object.keys(input);
  const declared = Object.entries(input).map(([argument, { type }]) => `$${argument}: ${type}`);
  const passed = names.map((argument) => `${argument}: $${argument}`);
  const inParentheses = (list: readonly string[]): string => (list.length === 0 ? '' : `(${list.join(', ')})`);
  const operation = `${kind} ${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  const document = `${operation}${inParentheses(declared)} { ${name}${inParentheses(passed)} }`;
  return { subgraph, name, document, input, output };
}

/** Parses the arguments where the call is served. @throws UNAVAILABLE for a caller of another version */
export function parseArguments(
  call: Pick<Call, 'subgraph' | 'name' | 'input'>,
  args: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const parsed: Record<string, unknown> = {};
  for (const name in call.input) {
    const schema = call.input[name]?.schema;
    // The graph leaves out a nullable argument that the caller leaves out.
    if (schema) parsed[name] = parseShape(`${placeOf(call)}: argument ${name}`, schema, args[name] ?? null);
  }
  return parsed;
}

/** Parses the answer where the call is made. @throws UNAVAILABLE for a subgraph of another version */
export const parseAnswer = <O>(call: Pick<Call<never, O>, 'subgraph' | 'name' | 'output'>, answer: unknown): O =>
  parseShape(`${placeOf(call)}: answer`, call.output, answer ?? null);

const placeOf = ({ subgraph, name }: Pick<Call, 'subgraph' | 'name'>): string => `call ${name} to ${subgraph}`;

const RETRY_AFTER_SECONDS = 1;

/**
 * Parses a value of another process.
 *
 * @param place names the value in the log.
 * @throws UNAVAILABLE for a value of another version
 */
export function parseShape<T>(place: string, schema: z.ZodType<T>, value: unknown): T {
  const { success, data, error } = schema.safeParse(value);
  if (success) return data;
  throw skew(place, error);
}

function skew(part: string, { issues }: z.ZodError): Problem {
  const [issue] = issues;
  const path = (issue?.path ?? []).map((step) => `/${String(step)}`).join('');
  const place = `${part}${path === '' ? '' : ` at ${path}`}`;
  return problem('UNAVAILABLE', {
    internal: `${place}: ${issue?.message ?? 'invalid'}; check that all processes run one version`,
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}

/** A list that its readers do not change. */
export const list = <T>(item: z.ZodType<T>): z.ZodType<readonly T[]> => z.array(item);

/** An object that is passed on as it is. */
export const JSON_OBJECT = z.custom<JsonObject>(isJsonObject);

/** A string of a narrower type that its owner has checked: an id, a tenant. */
export const branded = <T extends string>(): z.ZodType<T> => z.custom<T>((value) => typeof value === 'string');

export const TEXT: Argument<string> = { type: 'String!', schema: z.string() };
export const TEXT_OR_NULL: Argument<string | null> = { type: 'String', schema: z.string().nullable() };
export const TEXTS: Argument<readonly string[]> = { type: '[String!]!', schema: list(z.string()) };
export const FLAG: Argument<boolean> = { type: 'Boolean!', schema: z.boolean() };
export const INT: Argument<number> = { type: 'Int!', schema: z.int() };
export const SAFE_INT: Argument<number> = { type: 'SafeInteger!', schema: z.int() };
export const SAFE_INT_OR_NULL: Argument<number | null> = { type: 'SafeInteger', schema: z.int().nullable() };

/** A word of a closed set. */
export const word = <T extends string>(schema: z.ZodType<T>): Argument<T> => ({ type: 'String!', schema });
export const json = <T>(schema: z.ZodType<T>): Argument<T> => ({ type: 'JSON!', schema });
export const jsonOrNull = <T>(schema: z.ZodType<T>): Argument<T | null> => ({
  type: 'JSON',
  schema: schema.nullable(),
});
export const jsonList = <T>(item: z.ZodType<T>): Argument<readonly T[]> => ({ type: '[JSON!]!', schema: list(item) });

/** The answer of a call that only does something. */
export const DONE: z.ZodType<boolean> = z.boolean();
