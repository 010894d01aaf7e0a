// The last step of a build, and `npm run docs:site`: makes the documentation a site that the facade serves at /docs.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Eleventy } from '@11ty/eleventy';
import { build } from 'esbuild';
import MiniSearch from 'minisearch';
import { ApiReference, Links } from './site/links.mjs';
import { extendMarkdown } from './site/markdown.mjs';
import { menuOf } from './site/menu.mjs';
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
const reference = new ApiReference(JSON.parse(textOf(DESCRIPTION_SOURCE)));
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

for (const [address, source] of links.files) {
  const target = join(into, address);
  mkdirSync(dirname(target), { recursive: true });
  copyFileSync(join(root, source), target);
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

/** The first heading of a page represents the page. */
function searchIndex() {
  const index = new MiniSearch(SEARCH_OPTIONS);
  index.addAll(
    sections.map(({ source, id, level, heading, text }, at) => ({
      id: at,
      title: titles.get(source),
      heading,
      text,
      href: hrefOf(addresses.get(source)) + (level === 1 ? '' : `#${id}`),
    })),
  );
  return index;
}
