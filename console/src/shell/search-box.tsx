import { useEffect, useRef, useState } from 'react';
import { go } from '../router';
import { useText } from '../text';

const PLACES: readonly (readonly [pattern: RegExp, place: (text: string) => string])[] = [
  [/^evt_[0-9A-Z]{26}$/, (id) => `/events/${id}`],
  [/^bdl_[0-9A-Z]{26}$/, (id) => `/bundles/${id}`],
  [/^doc_[0-9A-Z]{26}$/, (id) => `/documents/${id}`],
  [/^exc_[0-9A-Z]{26}$/, (id) => `/exceptions/${id}`],
  [/^hld_[0-9A-Z]{26}$/, (id) => `/holds/${id}`],
  [/^mat_[0-9A-Z]{26}$/, (id) => `/matters/${id}`],
  [/^ing_[0-9A-Z]{26}$/, (id) => `/ingest/${id}`],
  [/^whk_[0-9A-Z]{26}$/, (id) => `/webhooks/${id}`],
  [/^[0-9a-f]{64}$/, (hash) => `/documents?sha256=${hash}`],
];

/** Where a text leads: an identifier to its record, anything else to the search. */
function placeOf(text: string): string {
  const found = PLACES.find(([pattern]) => pattern.test(text));
  return found ? found[1](text) : `/search?q=${encodeURIComponent(text)}`;
}

export function SearchBox() {
  const { t } = useText();
  const [text, setText] = useState('');
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <search>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== '') go(placeOf(text.trim()));
        }}
      >
        <input
          ref={input}
          type="search"
          value={text}
          aria-label={t('Search', 'Buscar')}
          placeholder={t(
            'Member, claim, code, words, any id or SHA-256 (Ctrl K)',
            'Afiliado, reclamación, código, palabras, id o SHA-256 (Ctrl K)',
          )}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit">{t('Search', 'Buscar')}</button>
      </form>
    </search>
  );
}
