import type { ElementNode } from '../values/xml/element-tree.js';

/** Readers of CDA elements that treat missing parts as empty. */

export const childrenOf = (node: ElementNode | undefined, name: string): ElementNode[] =>
  (node?.children ?? []).filter((child) => child.name === name);

/** The first element along a path of names. */
export function find(node: ElementNode | undefined, ...path: string[]): ElementNode | undefined {
  return path.reduce<ElementNode | undefined>((found, name) => childrenOf(found, name)[0], node);
}

/** An attribute of the first element along a path; '' if absent. */
export const attribute = (node: ElementNode | undefined, name: string, ...path: string[]): string =>
  find(node, ...path)
    ?.attributes.get(name)
    ?.trim() ?? '';

/** The text of the first element along a path; '' if absent. */
export const textOf = (node: ElementNode | undefined, ...path: string[]): string => find(node, ...path)?.text ?? '';

/** `root|extension` of the first id of an element; '' if it has none. */
export function idOf(node: ElementNode | undefined): string {
  const id = childrenOf(node, 'id').find((one) => attribute(one, 'root') !== '');
  if (id === undefined) return '';
  const [root, extension] = [attribute(id, 'root'), attribute(id, 'extension')];
  return extension === '' ? root : `${root}|${extension}`;
}

/** When something happened: the value of a time, or the start and end of an interval, as sent. */
export function timesOf(node: ElementNode | undefined): { readonly from: string; readonly to: string } {
  // A medication has a second effectiveTime, its frequency, without these.
  for (const time of childrenOf(node, 'effectiveTime')) {
    const value = attribute(time, 'value');
    const from = value || attribute(time, 'value', 'low') || attribute(time, 'value', 'center');
    const to = value || attribute(time, 'value', 'high');
    if (from !== '' || to !== '') return { from, to };
  }
  return { from: '', to: '' };
}
