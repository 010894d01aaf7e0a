const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const MIN_HEADINGS_LISTED = 3;

/** The frame of every page. */
export const render = ({ content, title, href, menu, headingsOf, source }) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)} – Evidentiary Audit Service</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/assets/page.css">
    <script type="module" src="/docs/assets/page.js"></script>
  </head>
  <body>
    <a class="skip" href="#content">Skip to the content</a>
    <header>
      <a class="home" href="/docs">Evidentiary Audit Service</a>
      <form id="search" role="search" hidden>
        <label for="words">Search</label>
        <input id="words" type="search" autocomplete="off" spellcheck="false">
      </form>
      <nav aria-label="Service"><a href="/docs/api">API reference</a> <a href="/console">Console</a></nav>
    </header>
    <section id="found" aria-label="Search results" hidden>
      <p id="count" role="status"></p>
      <ol id="results"></ol>
    </section>
    <div id="frame">
      <nav id="menu" aria-label="Pages">
        <details id="pages"><summary>All pages</summary>
${menu.map((section) => sectionOf(section, href)).join('\n')}
        <p><a href="/docs/adr"${currentIf(href === '/docs/adr')}>Decisions</a></p>
        </details>
      </nav>
      <main id="content" tabindex="-1">
${contents(headingsOf(source))}
${content}
      </main>
    </div>
  </body>
</html>
`;

const currentIf = (isCurrent) => (isCurrent ? ' aria-current="page"' : '');

const sectionOf = ({ heading, pages }, href) => `        <h2>${escaped(heading)}</h2>
        <ul>${pages
          .map((page) => `<li><a href="${page.href}"${currentIf(page.href === href)}>${escaped(page.title)}</a></li>`)
          .join('')}</ul>`;

function contents(headings) {
  const listed = headings.filter(({ level }) => level === 2);
  if (listed.length < MIN_HEADINGS_LISTED) return '';
  const items = listed.map(({ id, heading }) => `<li><a href="#${id}">${escaped(heading)}</a></li>`).join('');
  return `<details id="on-this-page"><summary>On this page</summary><ul>${items}</ul></details>`;
}
