import { refine } from '../../router';

// A view of the graph is its address: its parameters list the opened, closed and hidden nodes.

/** Reads a list of identifiers, each of which may hold a comma. */
export const listOf = (text: string | null): readonly string[] =>
  (text ?? '')
    .split(',')
    .filter((part) => part !== '')
    .map(decodeURIComponent);

const textOf = (list: readonly string[]): string => list.map(encodeURIComponent).join(',');

/** Adds an item to a list of the address, or removes it. */
export function toggleIn(name: 'open' | 'closed' | 'hide', list: readonly string[], item: string): void {
  refine({ [name]: textOf(list.includes(item) ? list.filter((one) => one !== item) : [...list, item]) });
}

/** A node as the API takes it in a list: commas separate nodes. */
export const rootOf = (node: string): string => node.replaceAll(',', '%2C');
