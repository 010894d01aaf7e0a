import { hrefOf, INDEX_SOURCE } from './sources.mjs';

const SECTION = /^## (.+)$/;
const ROW = /^\| \[[^\]]*\]\(([^)#]+)\)/;

/**
 * Reads the menu from the index of the documentation: a heading opens a section, each row of its table names a page.
 *
 * @param titles title of each page, by its source
 */
export function menuOf(text, { links, addresses, titles }) {
  const sections = [];
  for (const line of text.split('\n')) {
    const [, heading] = SECTION.exec(line) ?? [];
    if (heading !== undefined) sections.push({ heading, pages: [] });
    const [, target] = ROW.exec(line) ?? [];
    if (target === undefined) continue;
    const href = links.resolve(INDEX_SOURCE, target);
    const [source] = [...addresses].find(([, address]) => hrefOf(address) === href) ?? [];
    if (source === undefined) throw new Error(`${INDEX_SOURCE} lists ${target}, which is no page`);
    sections.at(-1).pages.push({ href, title: titles.get(source) });
  }
  return sections.filter(({ pages }) => pages.length > 0);
}
