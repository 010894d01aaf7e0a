import MiniSearch from 'minisearch';
import { SEARCH_OPTIONS } from './search-options.mjs';

const INDEX_ADDRESS = '/docs/assets/search.json';
const MAX_SHOWN = 20;
const WIDE = '(min-width: 60rem)';

const byId = (id) => document.getElementById(id);
const [form, words, found, count, results] = ['search', 'words', 'found', 'count', 'results'].map(byId);

// A narrow screen shows the page first, and the list of pages when asked.
byId('pages').open = matchMedia(WIDE).matches;

// Bookmarks of the API reference before it had a page for each operation: /docs/api#/events/listEvents.
const operation = /^#\/([\w-]+)(\/\w+)?$/.exec(location.hash);
if (operation !== null && location.pathname === '/docs/api') {
  location.replace(operation[2] === undefined ? `#${operation[1]}` : `/docs/api/${operation[1]}${operation[2]}`);
}

let loading;
/** Loads the index at the first use; most readers never search. */
const index = () => {
  loading ??= fetch(INDEX_ADDRESS)
    .then(async (answer) => {
      if (!answer.ok) throw new Error(`status ${answer.status}`);
      return MiniSearch.loadJSON(await answer.text(), SEARCH_OPTIONS);
    })
    .catch((error) => {
      loading = undefined;
      throw error;
    });
  return loading;
};

function itemOf({ href, title, heading }) {
  const link = document.createElement('a');
  link.href = href;
  link.textContent = heading;
  const item = document.createElement('li');
  item.append(link);
  if (title !== heading) {
    const page = document.createElement('small');
    page.textContent = ` – ${title}`;
    item.append(page);
  }
  return item;
}

async function search() {
  const asked = words.value.trim();
  found.hidden = asked === '';
  if (asked === '') return results.replaceChildren();
  try {
    const hits = (await index()).search(asked);
    // A faster typist has asked something else meanwhile.
    if (asked !== words.value.trim()) return;
    count.textContent = `${hits.length} ${hits.length === 1 ? 'section' : 'sections'}`;
    results.replaceChildren(...hits.slice(0, MAX_SHOWN).map(itemOf));
  } catch {
    count.textContent = 'The search index could not be loaded. Try again.';
  }
}

form.hidden = false;
form.addEventListener('submit', (event) => {
  event.preventDefault();
  results.querySelector('a')?.focus();
});
words.addEventListener('input', () => void search());
words.addEventListener('focus', () => void index().catch(() => undefined), { once: true });
document.addEventListener('keydown', (event) => {
  if (event.key === '/' && !event.ctrlKey && !event.metaKey && !event.altKey && document.activeElement !== words) {
    event.preventDefault();
    words.focus();
  } else if (event.key === 'Escape' && !found.hidden) {
    words.value = '';
    void search();
  }
});
