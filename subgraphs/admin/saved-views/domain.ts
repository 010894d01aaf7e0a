import type { Scope } from '../../../shared/auth/scopes.js';

// A saved view is a name for the address of a screen of the console with its filters. It holds no data of the screen.

export const VIEW_SCREENS = ['EVENTS', 'EXCEPTIONS', 'GRAPH'] as const;
export type ViewScreen = (typeof VIEW_SCREENS)[number];

/** The scope that opens a screen. An address may name a member, so only readers of the screen see it. */
const SCOPES: Readonly<Record<ViewScreen, Scope>> = {
  EVENTS: 'events:read',
  EXCEPTIONS: 'exceptions:read',
  GRAPH: 'graph:read',
};

/**
 * Path of a screen below the console, and its filters. The fixed paths keep an address inside the console, and the first
 * character after the path keeps another host out.
 */
export const VIEW_ADDRESS_PATTERN = '^/(events|exceptions|graph)(\\?[!-~]*)?$';
export const MAX_ADDRESS_LENGTH = 2_000;

/** Bounds what one person or key stores. */
export const MAX_VIEWS_OF_OWNER = 100;

/** @param address of the form of VIEW_ADDRESS_PATTERN. */
export function screenOf(address: string): ViewScreen | null {
  const [path = ''] = address.slice(1).split('?');
  return VIEW_SCREENS.find((screen) => screen.toLowerCase() === path) ?? null;
}

export const scopeOf = (screen: ViewScreen): Scope => SCOPES[screen];
