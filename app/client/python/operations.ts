import { answerOf, bodyOf, type Contract, type Parameter, type Route, routesOf, type Schema } from './contract.js';
import { literal, parameterName, pascal, snake, wrapped } from './names.js';
import type { PythonTypes } from './types.js';

/** The two forms of a client: the same methods, plain or as coroutines. */
type Form = 'sync' | 'async';

/** Written by hand in both clients: it streams. */
const BY_HAND: ReadonlySet<string> = new Set(['downloadBundle']);
/** No argument of a method: the client sends the first two itself, and no method returns an answer without its whole body. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['X-Tenant-Id', 'X-Request-Id', 'If-None-Match', 'Range', 'If-Range']);
const IDEMPOTENCY_KEY = 'Idempotency-Key';
const DEFAULT_BYTES_TYPE = 'application/octet-stream';

/** Writes operations.py or async_operations.py: one method an operation, and an iterator for each list. */
export function operationsFile(contract: Contract, types: PythonTypes, form: Form, mark: string): string {
  const routes = routesOf(contract).filter(({ operationId }) => !BY_HAND.has(operationId));
  const [name, caller, iterator] =
    form === 'sync' ? ['Operations', 'Caller', 'Iterator'] : ['AsyncOperations', 'AsyncCaller', 'AsyncIterator'];
  return [
    mark,
    '"""One method for each operation of the service\'s contract."""',
    '',
    'from __future__ import annotations',
    '',
    `from collections.abc import ${iterator}`,
    'from typing import Any, Literal',
    '',
    'from . import models as m',
    `from ._caller import ${caller}, FilePart, segment`,
    '',
    '',
    `class ${name}(${caller}):`,
    '    """Every operation of the contract; the arguments and answers have its types."""',
    ...routes.flatMap((route) => ['', ...methodLines(route, types, form), ...iteratorLines(route, types, form)]),
    '',
  ].join('\n');
}

/** A parameter of a Python method. */
interface Argument {
  readonly text: string;
  /** What it gives to the call, as `name=value` or an entry of the query. */
  readonly name: string;
  readonly python: string;
}

interface Signature {
  readonly path: string;
  readonly positional: readonly string[];
  readonly query: readonly Argument[];
  readonly takesKey: boolean;
}

function signatureOf(route: Route, types: PythonTypes): Signature {
  const headers = new Set(route.parameters.filter((it) => it.in === 'header').map(({ name }) => name));
  const query = route.parameters.filter(
    (it) => it.in === 'query' && !(it.name === 'tenant_id' && headers.has('X-Tenant-Id')),
  );
  const unknown = [...headers].filter((name) => !OWN_HEADERS.has(name) && name !== IDEMPOTENCY_KEY);
  if (unknown.length > 0)
    throw new Error(`${route.operationId} has the header ${unknown[0]}, which no method can send`);
  return {
    path: pathText(route.path),
    positional: [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => `${parameterName(name)}: str`),
    query: [...query].sort((a, b) => Number(b.required) - Number(a.required)).map((it) => argumentOf(it, route, types)),
    takesKey: headers.has(IDEMPOTENCY_KEY),
  };
}

function argumentOf({ name, required, schema }: Parameter, { operationId }: Route, types: PythonTypes): Argument {
  const python = parameterName(name);
  const type = types.of(schema, `${pascal(operationId)}${pascal(name)}`, 'm.');
  return { name, python, text: required ? `${python}: ${type}` : `${python}: ${type} | None = None` };
}

/** `/v1/events/{id}` becomes an f-string with the segment escaped. */
const pathText = (path: string): string =>
  path.includes('{')
    ? `f"${path.replace(/\{(\w+)\}/g, (_, name: string) => `{segment(${parameterName(name)})}`)}"`
    : literal(path);

function methodLines(route: Route, types: PythonTypes, form: Form): readonly string[] {
  const signature = signatureOf(route, types);
  const body = bodyArguments(route, types);
  const answer = answerOf(route);
  const returned = answer ? types.of(answer, `${pascal(route.operationId)}Answer`, 'm.') : 'bytes';
  const keyword = [
    ...body.keyword,
    ...signature.query.map(({ text }) => text),
    ...(signature.takesKey ? ['idempotency_key: str | None = None'] : []),
  ];
  const given = ['self', ...signature.positional, ...body.positional, ...(keyword.length > 0 ? ['*', ...keyword] : [])];
  const passed = [
    literal(route.method),
    signature.path,
    ...queryArgument(signature, ' '.repeat(12)),
    ...body.passed,
    ...(signature.takesKey ? ['idempotency_key=idempotency_key'] : []),
  ];
  const [defined, waited] = form === 'sync' ? ['def', ''] : ['async def', 'await '];
  return [
    `    ${defined} ${snake(route.operationId)}(`,
    ...given.map((one) => `        ${one},`),
    `    ) -> ${returned}:`,
    ...documentation(route),
    `        result: ${returned} = ${waited}self.${answer ? '_json' : '_bytes'}(`,
    ...passed.map((one) => `            ${one},`),
    '        )',
    '        return result',
  ];
}

/** The query as one argument over several lines, each after `indent`. */
function queryArgument({ query }: Signature, indent: string): readonly string[] {
  if (query.length === 0) return [];
  const entries = query.map(({ name, python }) => `${indent}    ${literal(name)}: ${python},\n`);
  return [`query={\n${entries.join('')}${indent}}`];
}

const documentation = ({ summary, description = '', method, path }: Route): readonly string[] => [
  `        """${summary}.`,
  '',
  ...wrapped(`${description} \`${method} ${path}\``.trim(), '        '),
  '        """',
];

interface BodyArguments {
  readonly positional: readonly string[];
  readonly keyword: readonly string[];
  readonly passed: readonly string[];
}

function bodyArguments(route: Route, types: PythonTypes): BodyArguments {
  const body = bodyOf(route);
  if (body.kind === 'none') return { positional: [], keyword: [], passed: [] };
  if (body.kind === 'form') return formArguments(body.schema, route, types);
  if (body.kind === 'bytes') {
    const choices = body.mediaTypes.map(literal).join(', ');
    const usual = body.mediaTypes.includes(DEFAULT_BYTES_TYPE) ? DEFAULT_BYTES_TYPE : (body.mediaTypes[0] ?? '');
    return {
      positional: ['content: str | bytes'],
      keyword: [`content_type: Literal[${choices}] = ${literal(usual)}`],
      passed: ['content=content', 'content_type=content_type'],
    };
  }
  const type = types.of(body.schema, `${pascal(route.operationId)}Body`, 'm.');
  return {
    positional: [body.isRequired ? `body: ${type}` : `body: ${type} | None = None`],
    keyword: [],
    passed: ['body=body'],
  };
}

function formArguments({ properties = {} }: Schema, route: Route, types: PythonTypes): BodyArguments {
  const named = Object.entries(properties).filter(([name]) => name !== 'tenant_id');
  const files = named.filter(([, schema]) => schema.format === 'binary');
  const fields = named.filter(([, schema]) => schema.format !== 'binary');
  const entries = (of: typeof named): string =>
    of.map(([name]) => `${literal(name)}: ${parameterName(name)}`).join(', ');
  return {
    positional: files.map(([name]) => `${parameterName(name)}: FilePart`),
    keyword: fields.map(
      ([name, schema]) =>
        `${parameterName(name)}: ${types.of(schema, `${pascal(route.operationId)}${pascal(name)}`, 'm.')} | None = None`,
    ),
    passed: [`files={${entries(files)}}`, `form={${entries(fields)}}`],
  };
}

/** An iterator over all pages, for a list with a cursor: `listEvents` has `paginate_events`. */
function iteratorLines(route: Route, types: PythonTypes, form: Form): readonly string[] {
  const item = itemOf(route, types);
  if (item === undefined) return [];
  const signature = signatureOf(route, types);
  const query = signature.query.filter(({ name }) => name !== 'cursor');
  const given = ['self', ...signature.positional, ...(query.length > 0 ? ['*', ...query.map(({ text }) => text)] : [])];
  const passed = [signature.path, ...queryArgument({ ...signature, query }, ' '.repeat(12))];
  const name = `paginate${snake(pascal(route.operationId.replace(/^(list|get)/, '')))}`;
  const [defined, iterator] = form === 'sync' ? ['def', 'Iterator'] : ['async def', 'AsyncIterator'];
  const looped = form === 'sync' ? 'for item in' : 'async for item in';
  return [
    '',
    `    ${defined} ${name}(`,
    ...given.map((one) => `        ${one},`),
    `    ) -> ${iterator}[${item}]:`,
    `        """Iterates over all items of ${snake(route.operationId)}, page by page."""`,
    `        ${looped} self._items(`,
    ...passed.map((one) => `            ${one},`),
    '        ):',
    '            yield item',
  ];
}

function itemOf(route: Route, types: PythonTypes): string | undefined {
  const answer = answerOf(route);
  const hasCursor = route.method === 'GET' && route.parameters.some(({ name }) => name === 'cursor');
  return answer && hasCursor ? types.itemOf(answer, `${pascal(route.operationId)}Answer`) : undefined;
}
