import { code, escaped, prose, table } from './html.mjs';
import { operationContent } from './operation.mjs';

/** First page of the API reference, below `/docs`. */
const REFERENCE_ADDRESS = 'api';
export const REFERENCE_TITLE = 'API reference';
const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

const tagOf = ({ tags = ['default'] }) => tags[0].replaceAll(' ', '_');

/** @returns the address of an operation's page below `/docs`. */
export const operationAddress = (operation) => `${REFERENCE_ADDRESS}/${tagOf(operation)}/${operation.operationId}`;

const operationsOf = (description) =>
  Object.entries(description.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method] !== undefined).map((method) => ({
      path,
      method: method.toUpperCase(),
      operation: item[method],
      tag: tagOf(item[method]),
    })),
  );

/**
 * Makes the API reference: one page that lists every operation, and a page for each operation. A browser renders HTML that
 * is ready faster than any program that makes it from the description.
 *
 * @param description the OpenAPI document
 * @returns pages as `{ address, title, content, text }`; the search reads `text`
 */
export function referencePages(description) {
  const operations = operationsOf(description);
  const pages = operations.map((found) => ({
    address: operationAddress(found.operation),
    title: found.operation.summary,
    content: operationContent({ ...found, description }),
    text: `${found.method} ${found.path} ${found.operation.operationId} ${found.operation.description}`,
  }));
  return [
    { address: REFERENCE_ADDRESS, title: REFERENCE_TITLE, content: overview(description, operations), text: '' },
    ...pages,
  ];
}

function overview({ info, tags, webhooks = {} }, operations) {
  const areas = tags
    .map(({ name }) => ({ name, found: operations.filter(({ operation }) => operation.tags[0] === name) }))
    .filter(({ found }) => found.length > 0);
  const jumps = areas.map(({ name, found }) => `<a href="#${found[0].tag}">${escaped(name)}</a>`);
  return [
    `<h1>${REFERENCE_TITLE}</h1>`,
    `<p>${escaped(info.title)}: ${operations.length} operations. ${prose(info.description)}`,
    'Programs read <a href="/v1/openapi.json">the OpenAPI description</a>.',
    'Rules that hold everywhere are in <a href="/docs/conventions">the conventions</a>.</p>',
    `<nav aria-label="Areas" class="areas">${jumps.join(' ')}</nav>`,
    ...areas.map(({ name, found }) => areaPart(name, found)),
    deliveriesPart(webhooks),
  ].join('\n');
}

function deliveriesPart(webhooks) {
  const rows = Object.entries(webhooks).map(([kind, { post }]) => [code(kind), prose(post.summary)]);
  return `<h2 id="webhook-deliveries">Deliveries of webhooks</h2>
<p>The service sends these to webhooks: <a href="/docs/platform-events">platform events</a>.</p>
${table(['Kind', 'Sent when'], rows)}`;
}

const areaPart = (name, found) =>
  `<h2 id="${found[0].tag}">${escaped(name)}</h2>\n${table(
    ['Operation', 'Purpose'],
    found.map(({ method, path, operation }) => [
      `<a href="/docs/${operationAddress(operation)}">${code(`${method} ${path}`)}</a>`,
      prose(operation.summary),
    ]),
  )}`;
