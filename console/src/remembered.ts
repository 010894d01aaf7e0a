// Preferences and the place in the work, kept for as long as the tab is open. Never a key, a token or a member's data.

type Name = 'language' | 'theme' | 'tenant' | 'purpose' | 'shortcuts';

export const remembered = (name: Name): string | null => sessionStorage.getItem(name);

export function remember(name: Name, value: string | null): void {
  if (value === null || value === '') sessionStorage.removeItem(name);
  else sessionStorage.setItem(name, value);
}
