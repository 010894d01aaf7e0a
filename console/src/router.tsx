import { type AnchorHTMLAttributes, type MouseEvent, useSyncExternalStore } from 'react';

// Places are paths below /console, so that every one of them can be opened, shared and gone back to.

const BASE = '/console';

const listeners = new Set<() => void>();
const announce = (): void => {
  for (const listener of listeners) listener();
};
window.addEventListener('popstate', announce);

interface Place {
  /** Below /console: `/events/evt_…`. */
  readonly path: string;
  readonly query: URLSearchParams;
}

/** The present path below /console. */
export const presentPath = (): string => location.pathname.slice(BASE.length) || '/';

const here = (): string => `${presentPath()}${location.search}`;

const subscribe = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export function usePlace(): Place {
  const [path = '/', query = ''] = useSyncExternalStore(subscribe, here).split('?');
  return { path, query: new URLSearchParams(query) };
}

/** The parameters that the last change of the place refined; empty after any other change. */
let refined = '';
window.addEventListener('popstate', () => {
  refined = '';
});

export function go(to: string, { replace = false }: { readonly replace?: boolean } = {}): void {
  refined = '';
  if (replace) history.replaceState(null, '', BASE + to);
  else history.pushState(null, '', BASE + to);
  announce();
}

/**
 * Changes parameters of the place and stays on the screen; empty values are left out. Typing in one field is one step of
 * the history.
 */
export function refine(changes: Readonly<Record<string, string>>): void {
  const [path = '/', query = ''] = here().split('?');
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === '') parameters.delete(name);
    else parameters.set(name, value);
  }
  const text = parameters.toString();
  const names = Object.keys(changes).join(' ');
  go(text === '' ? path : `${path}?${text}`, { replace: names === refined });
  refined = names;
}

/** The parameters of `/events/:id` in a path; null for another path. */
export function matched(pattern: string, path: string): Readonly<Record<string, string>> | null {
  const [wanted, given] = [pattern.split('/'), path.replace(/\/$/, '').split('/')];
  if (pattern === '/') return path === '/' ? {} : null;
  if (wanted.length !== given.length) return null;
  const parameters: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const actual = given[i] ?? '';
    if (part.startsWith(':')) parameters[part.slice(1)] = decodeURIComponent(actual);
    else if (part !== actual) return null;
  }
  return parameters;
}

interface LinkProps extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly to: string;
}

export function Link({ to, onClick, ...rest }: LinkProps) {
  const follow = (event: MouseEvent<HTMLAnchorElement>): void => {
    onClick?.(event);
    if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(to);
  };
  return <a href={BASE + to} onClick={follow} {...rest} />;
}
