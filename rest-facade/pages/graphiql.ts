import { join } from 'node:path';
import type { StaticFile, StaticPage } from './static-page.js';

const SCRIPT = 'text/javascript; charset=utf-8';
const STYLE = 'text/css; charset=utf-8';

const HTML = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Evidentiary Audit Service graph</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/graphiql/graphiql.min.css">
    <link rel="stylesheet" href="/graphiql/page.css">
  </head>
  <body>
    <form id="access">
      <label>API key <input id="key" type="password" autocomplete="off" spellcheck="false" required></label>
      <label>Tenant <input id="tenant" autocomplete="off" spellcheck="false" placeholder="the key's own"></label>
      <button>Use this key</button>
      <span id="account">Kept in this page's memory alone, and forgotten with it.</span>
    </form>
    <form id="saved" hidden>
      <label>Saved question <select id="question"><option value="">Choose a question</option></select></label>
      <span id="explanation" aria-live="polite"></span>
    </form>
    <form id="answer" hidden>
      <button id="csv" type="button">Download CSV</button>
      <button id="ndjson" type="button">Download NDJSON</button>
      <span id="cost" aria-live="polite"></span>
    </form>
    <div id="graph"></div>
    <script src="/graphiql/react.production.min.js"></script>
    <script src="/graphiql/react-dom.production.min.js"></script>
    <script src="/graphiql/graphiql.min.js"></script>
    <script src="/graphiql/page.js"></script>
  </body>
</html>
`;

const PAGE_STYLE = `html, body { height: 100%; margin: 0; }
body { display: flex; flex-direction: column; font: 14px system-ui, sans-serif; }
#access, #saved, #answer { display: flex; flex-wrap: wrap; gap: 12px; align-items: center; padding: 8px 12px; border-bottom: 1px solid #d6d6d6; }
#saved[hidden], #answer[hidden] { display: none; }
#access span, #saved span, #answer span { color: #666; }
#question { max-width: 40rem; }
#graph { flex: 1; min-height: 0; }
`;

// The key lives in a variable of this script. GraphiQL would keep queries and headers in localStorage: it is given a
// storage that forgets with the page, since a query may name a member.
const PAGE_SCRIPT = `'use strict';
(() => {
  const memory = new Map();
  const storage = {
    getItem: (name) => memory.get(name) ?? null,
    setItem: (name, value) => void memory.set(name, value),
    removeItem: (name) => void memory.delete(name),
    clear: () => memory.clear(),
    get length() { return memory.size; },
  };
  const access = { key: '', tenant: '' };
  // The last query that was run by a person, for the downloads. GraphiQL itself asks for the schema.
  let last = null;
  const cost = document.getElementById('cost');
  const send = (request, accept) => {
    const headers = { 'content-type': 'application/json', 'x-api-key': access.key, accept };
    if (access.tenant) headers['x-tenant-id'] = access.tenant;
    return fetch('/graphql', { method: 'POST', headers, credentials: 'omit', body: JSON.stringify(request) });
  };
  const fetcher = async ({ query, operationName, variables }) => {
    const request = { query, operationName: operationName ?? null, variables: variables ?? null };
    const answer = await send(request, 'application/json');
    if (operationName !== 'IntrospectionQuery') {
      last = request;
      document.getElementById('answer').hidden = false;
      const spent = answer.headers.get('x-query-cost');
      cost.textContent = spent === null ? '' : 'Cost of the query: ' + spent + ' of 20000.';
    }
    return answer.json();
  };
  // Runs the last query again and saves its one list as a file.
  const download = async (accept, name) => {
    if (last === null) return;
    const answer = await send(last, accept);
    if (!(answer.headers.get('content-type') ?? '').startsWith(accept)) {
      const fault = await answer.json();
      cost.textContent = fault.errors?.[0]?.message ?? fault.message ?? 'The answer is no table.';
      return;
    }
    const address = URL.createObjectURL(await answer.blob());
    const link = Object.assign(document.createElement('a'), { href: address, download: name });
    link.click();
    URL.revokeObjectURL(address);
    cost.textContent = answer.headers.has('x-next-cursor') ? 'There are more pages after this one.' : '';
  };
  document.getElementById('csv').addEventListener('click', () => void download('text/csv', 'answer.csv'));
  document.getElementById('ndjson').addEventListener('click', () => void download('application/x-ndjson', 'answer.ndjson'));
  const root = ReactDOM.createRoot(document.getElementById('graph'));
  const saved = document.getElementById('saved');
  const choice = document.getElementById('question');
  const explanation = document.getElementById('explanation');
  let round = 0;
  let questions = [];
  const show = (editors) => root.render(React.createElement(GraphiQL, {
    key: ++round,
    fetcher,
    storage,
    isHeadersEditorEnabled: false,
    shouldPersistHeaders: false,
    ...editors,
  }));
  // Fills the list with the questions that the service knows. The key is needed for that too.
  const loadQuestions = async () => {
    const headers = { 'x-api-key': access.key };
    if (access.tenant) headers['x-tenant-id'] = access.tenant;
    const answer = await fetch('/v1/questions', { headers, credentials: 'omit' });
    questions = answer.ok ? (await answer.json()).items : [];
    choice.replaceChildren(choice.options[0], ...questions.map(({ name, title }) => new Option(title, name)));
    saved.hidden = questions.length === 0;
    explanation.textContent = '';
  };
  choice.addEventListener('change', () => {
    const question = questions.find(({ name }) => name === choice.value);
    if (!question) return;
    explanation.textContent = question.explanation;
    const needed = question.variables.filter(({ required }) => required);
    const variables = Object.fromEntries(needed.map(({ name, example }) => [name, example]));
    memory.clear();
    show({ query: question.query, variables: JSON.stringify(variables, null, 2) });
  });
  document.getElementById('access').addEventListener('submit', (event) => {
    event.preventDefault();
    access.key = document.getElementById('key').value;
    access.tenant = document.getElementById('tenant').value;
    document.getElementById('key').value = '';
    document.getElementById('account').textContent =
      'Key ' + access.key.slice(0, 12) + '…, tenant ' + (access.tenant || 'of the key') + '. Kept in the memory of this page alone.';
    show({
      defaultQuery: '# Lists say how long they are: at most 200.\\n{\\n  ledgerPartitions {\\n    items {\\n      source_system\\n    }\\n  }\\n}\\n',
    });
    void loadQuestions();
  });
})();
`;

/** The analysts' query page: GraphiQL, offline. @param folder where the files of graphiql/ lie. */
export function graphiqlPage(folder: string): StaticPage {
  const kept = (name: string, mediaType: string): StaticFile => ({ mediaType, content: { path: join(folder, name) } });
  return {
    path: '/graphiql',
    html: HTML,
    files: {
      'graphiql.min.css': kept('graphiql.min.css', STYLE),
      'graphiql.min.js': kept('graphiql.min.js', SCRIPT),
      'react.production.min.js': kept('react.production.min.js', SCRIPT),
      'react-dom.production.min.js': kept('react-dom.production.min.js', SCRIPT),
      'page.css': { mediaType: STYLE, content: { text: PAGE_STYLE } },
      'page.js': { mediaType: SCRIPT, content: { text: PAGE_SCRIPT } },
    },
  };
}
