import { block, code, escaped, prose, table } from './html.mjs';
import { fieldsTable, meaningOf, schemaId, schemasUsed, typeOf } from './schema.mjs';

const RESPONSE = '#/components/responses/';
const MAX_EXAMPLES = 3;

/** @returns the content of the page of one operation: parameters, body, answers, errors and the schemas of these. */
export function operationContent({ method, path, operation, tag, description }) {
  const { summary, operationId, parameters = [], requestBody, responses } = operation;
  const answers = Object.entries(responses).filter(([, response]) => response.$ref === undefined);
  const errors = Object.entries(responses).filter(([, response]) => response.$ref !== undefined);
  const shown = { parameters, requestBody, answers };
  return [
    `<p><a href="/docs/api#${tag}">${escaped(operation.tags[0])}</a></p>`,
    `<h1>${escaped(summary)}</h1>`,
    `<p class="route">${code(`${method} ${path}`)}</p>`,
    `<p>${prose(operation.description)}</p>`,
    `<p>Scope: ${code(operation['x-required-scope'] ?? 'none')}. Operation: ${code(operationId)}.`,
    `<a href="/docs/try#/${tag}/${operationId}">Try it</a></p>`,
    parametersPart(parameters),
    bodyPart(requestBody),
    `<h2 id="answers">Answers</h2>`,
    ...answers.map(([status, response]) => answerPart(status, response)),
    errorsPart(errors, description),
    schemasPart(shown, description.components.schemas),
  ].join('\n');
}

function parametersPart(parameters) {
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => [
    `${code(parameter.name)}${parameter.required ? ' <small>required</small>' : ''}`,
    escaped(parameter.in),
    typeOf(parameter.schema),
    [prose(parameter.description), meaningOf({ ...parameter.schema, description: undefined })].join(' '),
  ]);
  return `<h2 id="parameters">Parameters</h2>\n${table(['Name', 'In', 'Type', 'Meaning'], rows)}`;
}

function bodyPart(body) {
  if (body === undefined) return '';
  const need = body.required ? 'The body is required.' : 'The body may be absent.';
  return `<h2 id="body">Body</h2>\n<p>${need}</p>\n${mediaParts(body.content)}`;
}

function answerPart(status, { description, content = {}, headers = {} }) {
  const names = Object.keys(headers);
  return [
    `<h3 id="answer-${status}">${status}</h3>`,
    `<p>${prose(description)}</p>`,
    names.length > 0 ? `<p>Headers: ${names.map(code).join(', ')}.</p>` : '',
    mediaParts(content),
  ].join('\n');
}

/** Media types with the same schema and examples share one part. */
function mediaParts(content) {
  const groups = grouped(Object.entries(content));
  return [...groups.values()]
    .map((members) =>
      mediaPart(
        members.map(([type]) => type),
        members[0][1],
      ),
    )
    .join('\n');
}

function grouped(entries) {
  const groups = new Map();
  for (const entry of entries) {
    const key = JSON.stringify(entry[1]);
    groups.set(key, [...(groups.get(key) ?? []), entry]);
  }
  return groups;
}

function mediaPart(types, { schema = {}, example, examples = {} }) {
  const shown = [
    ...(example === undefined ? [] : [['Example', example]]),
    ...Object.entries(examples).map(([name, { summary, value }]) => [summary ?? name, value]),
  ].slice(0, MAX_EXAMPLES);
  return [
    `<p>${types.map(code).join(', ')}: ${typeOf(schema)}. ${meaningOf({ ...schema, examples: undefined })}</p>`,
    fieldsTable(schema),
    ...shown.map(([name, value]) => `<p>${escaped(name)}:</p>${block(textOf(value))}`),
  ].join('\n');
}

const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2));

function errorsPart(errors, { components }) {
  if (errors.length === 0) return '';
  const rows = errors.map(([status, { $ref: reference }]) => {
    const { content } = components.responses[reference.slice(RESPONSE.length)];
    const codes = Object.keys(Object.values(content)[0].examples);
    return [escaped(status), codes.map((name) => code(name)).join(', ')];
  });
  return `<h2 id="errors">Errors</h2>
<p>Every error has the form of <a href="/docs/errors">the page of errors</a>, which says what to do about each code.</p>
${table(['Status', 'Codes'], rows)}`;
}

function schemasPart(shown, schemas) {
  const used = schemasUsed(shown, schemas);
  if (used.length === 0) return '';
  const parts = used.map((name) =>
    [
      `<h3 id="${schemaId(name)}">${escaped(name)}</h3>`,
      `<p>${meaningOf(schemas[name]) || typeOf(schemas[name])}</p>`,
      fieldsTable(schemas[name]),
    ].join('\n'),
  );
  return `<h2 id="schemas">Schemas</h2>\n${parts.join('\n')}`;
}
