import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Pages outside `docs/`, and the address of each. */
const OTHER_PAGES = {
  'README.md': 'overview',
  'ARCHITECTURE.md': 'architecture',
  'CHANGELOG.md': 'changelog',
  'client/README.md': 'clients/typescript',
  'client/python/README.md': 'clients/python',
  'testing-kit/README.md': 'packages/testing-kit',
  'embedded-mongo/README.md': 'packages/embedded-mongo',
};
/** Its tables are the menu of the site. */
export const INDEX_SOURCE = 'docs/README.md';
/** The contract, for links from a named route to its place in the API reference. */
export const DESCRIPTION_SOURCE = 'client/openapi.json';

/**
 * Lists the pages of the site.
 *
 * @returns the path of each source in the repository, with the address below `/docs` ('' for the first page)
 */
export function pageAddresses(root) {
  const inDocs = readdirSync(join(root, 'docs'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => name.endsWith('.md'))
    .sort();
  return new Map([
    ...inDocs.map((name) => [`docs/${name}`, name.replace(/(^|\/)README\.md$/, '').replace(/\.md$/, '')]),
    ...Object.entries(OTHER_PAGES),
  ]);
}

/** @returns the address in a browser. */
export const hrefOf = (address) => (address === '' ? '/docs' : `/docs/${address}`);
