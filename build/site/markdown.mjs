const ROUTE = /^(GET|POST|PUT|PATCH|DELETE) (\/v1\/\S+)$/;
const METHOD = /^(GET|POST|PUT|PATCH|DELETE)$/;
const COMMENT = /^\s*(<!--[\s\S]*?-->\s*)*$/;

/**
 * Adds to markdown-it what the pages need: ids of headings as on GitHub, links within the site, links from a route to the
 * API reference, areas that scroll by themselves, and the sections for the search.
 *
 * @param section receives each section: `{ source, id, level, heading, text }`
 */
export function extendMarkdown(md, { links, reference, section }) {
  md.set({ html: true, linkify: false, typographer: false });
  md.core.ruler.push('headings', (state) => nameHeadings(state));
  md.core.ruler.push('sections', (state) => collectSections(state, section));
  md.core.ruler.push('site links', (state) => rewriteLinks(state, links));
  md.core.ruler.push('route links', (state) => linkRoutes(state, reference));
  scrollWideParts(md);
  for (const kind of ['html_block', 'html_inline']) {
    md.renderer.rules[kind] = (tokens, at, _options, { source }) => {
      if (COMMENT.test(tokens[at].content)) return '';
      throw new Error(`${source} has HTML: ${tokens[at].content}`);
    };
  }
}

/** Keyboards can scroll only what takes the focus. */
function scrollWideParts(md) {
  const focusable = '<div class="scroll" role="group" tabindex="0" aria-label="Table">';
  md.renderer.rules.table_open = () => `${focusable}<table>\n`;
  md.renderer.rules.table_close = () => '</table></div>\n';
  for (const kind of ['fence', 'code_block']) {
    md.renderer.rules[kind] = (tokens, at) =>
      `<pre tabindex="0"><code>${md.utils.escapeHtml(tokens[at].content)}</code></pre>\n`;
  }
  md.renderer.rules.image = (tokens, at, options, env, renderer) => {
    const alt = renderer.renderInlineAsText(tokens[at].children ?? [], options, env);
    const source = md.utils.escapeHtml(tokens[at].attrGet('src'));
    return `<img src="${source}" alt="${md.utils.escapeHtml(alt)}" loading="lazy">`;
  };
}

const textOf = (inline) =>
  (inline.children ?? [])
    .map(({ type, content }) => (type === 'softbreak' || type === 'hardbreak' ? ' ' : content))
    .join('');

/** The rule of GitHub, so that one link works there and here. */
const slugOf = (text) =>
  text
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .replaceAll(' ', '-');

function nameHeadings({ tokens, env }) {
  const used = new Map();
  env.headings = [];
  tokens.forEach((token, at) => {
    if (token.type !== 'heading_open') return;
    const text = textOf(tokens[at + 1]);
    const slug = slugOf(text);
    const count = used.get(slug) ?? 0;
    used.set(slug, count + 1);
    const id = count === 0 ? slug : `${slug}-${count}`;
    token.attrSet('id', id);
    env.headings.push({ id, text, level: Number(token.tag.slice(1)) });
  });
}

/** A section reaches from a heading to the next one. */
function collectSections({ tokens, env }, section) {
  let current = null;
  tokens.forEach((token, at) => {
    if (token.type === 'heading_open') {
      if (current !== null) section(current);
      current = {
        source: env.source,
        id: token.attrGet('id'),
        level: Number(token.tag.slice(1)),
        heading: '',
        text: '',
      };
    } else if (current !== null && token.type === 'inline') {
      if (tokens[at - 1]?.type === 'heading_open') current.heading = textOf(token);
      else current.text += `${textOf(token)} `;
    } else if (current !== null && token.type === 'fence') current.text += `${token.content} `;
  });
  if (current !== null) section(current);
}

const inlineTokens = (tokens) => tokens.filter(({ type }) => type === 'inline');

function rewriteLinks({ tokens, env }, links) {
  for (const { children } of inlineTokens(tokens)) {
    for (const token of children ?? []) {
      const attribute = token.type === 'link_open' ? 'href' : token.type === 'image' ? 'src' : null;
      if (attribute !== null) token.attrSet(attribute, links.resolve(env.source, token.attrGet(attribute)));
    }
  }
}

/** Links `GET /v1/events`, and a path in the cell behind its method, as in the table of routes. */
function linkRoutes({ tokens, Token }, reference) {
  let method = '';
  for (const inline of inlineTokens(tokens)) {
    let depth = 0;
    inline.children = (inline.children ?? []).flatMap((token) => {
      if (token.type === 'link_open' || token.type === 'link_close') depth += token.nesting;
      if (token.type !== 'code_inline' || depth > 0) return [token];
      const [, named, path] = ROUTE.exec(token.content) ?? [null, method, token.content];
      method = METHOD.test(token.content) ? token.content : '';
      const href = reference.hrefOf(named, path);
      if (href === null) return [token];
      const open = new Token('link_open', 'a', 1);
      open.attrSet('href', href);
      return [open, token, new Token('link_close', 'a', -1)];
    });
  }
}
