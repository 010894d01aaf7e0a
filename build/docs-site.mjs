// The last step of a build, and `npm run docs:site`: makes the documentation a site that the facade serves at /docs.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eleventy } from '@11ty/eleventy';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { render } from './site/_includes/page.11ty.mjs';
import { ApiReference, Links } from './site/links.mjs';
import { extendMarkdown } from './site/markdown.mjs';
import { menuOf } from './site/menu.mjs';
import { REFERENCE_TITLE, referencePages } from './site/reference/pages.mjs';
import { SEARCH_OPTIONS } from './site/search-options.mjs';
import { DESCRIPTION_SOURCE, hrefOf, INDEX_SOURCE, pageAddresses } from './site/sources.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const into = join(process.env.BUILD_INTO ?? join(root, 'dist'), 'docs-site');
const textOf = (path) => readFileSync(join(root, path), 'utf8');

const addresses = pageAddresses(root);
const links = new Links(root, addresses);
const titles = new Map(
  [...addresses.keys()].map((source) => [source, /^# (.+)$/m.exec(textOf(source))?.[1] ?? source]),
);
const menu = menuOf(textOf(INDEX_SOURCE), { links, addresses, titles });
const description = JSON.parse(textOf(DESCRIPTION_SOURCE));
const reference = new ApiReference(description);
const sections = [];

const site = new Eleventy(join(root, 'build/site'), into, {
  quietMode: true,
  configPath: false,
  config: (config) => {
    // The folder holds the frame of the pages; each page comes from its own place in the repository.
    config.setUseGitIgnore(false);
    config.setTemplateFormats(['md']);
    config.addGlobalData('menu', () => menu);
    config.addGlobalData('headingsOf', () => (source) => sections.filter((section) => section.source === source));
    config.amendLibrary('md', (md) =>
      extendMarkdown(md, { links, reference, section: (found) => sections.push(found) }),
    );
    for (const [source, address] of addresses) {
      config.addTemplate(`${address === '' ? 'index' : address}.md`, textOf(source), {
        source,
        title: titles.get(source),
        href: hrefOf(address),
        permalink: `${address === '' ? 'index' : address}.html`,
        layout: 'page.11ty.mjs',
      });
    }
    // Braces in a page are text.
    return { markdownTemplateEngine: false };
  },
});
// A failure is thrown; the logger prints it once more, and a summary.
site.disableLogger();
await site.write();

for (const [address, source] of links.files) copyFileSync(join(root, source), placeOf(address));
// These pages are HTML already, so they take the frame without Eleventy.
const operations = referencePages(description);
for (const { address, title, content } of operations) {
  const page = { content, title, href: hrefOf(address), menu, headingsOf: () => [], source: DESCRIPTION_SOURCE };
  writeFileSync(placeOf(`${address}.html`), render(page));
}
await build({
  entryPoints: [join(root, 'build/site/page.js'), join(root, 'build/site/page.css')],
  outdir: join(into, 'assets'),
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome111', 'firefox115', 'safari16.4'],
  logLevel: 'warning',
});
writeFileSync(join(into, 'assets/search.json'), JSON.stringify(searchIndex()));

/** @returns the path of a file of the site; its folder exists. */
function placeOf(address) {
  const target = join(into, address);
  mkdirSync(dirname(target), { recursive: true });
  return target;
}

/** The first heading of a page represents the page. */
function searchIndex() {
  const index = new MiniSearch(SEARCH_OPTIONS);
  const found = [
    ...sections.map(({ source, id, level, heading, text }) => ({
      title: titles.get(source),
      heading,
      text,
      href: hrefOf(addresses.get(source)) + (level === 1 ? '' : `#${id}`),
    })),
    ...operations.map(({ address, title, text }) => ({
      title: REFERENCE_TITLE,
      heading: title,
      text,
      href: hrefOf(address),
    })),
  ];
  index.addAll(found.map((section, at) => ({ id: at, ...section })));
  return index;
}
