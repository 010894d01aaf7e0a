import type { RequestContext } from '../../auth/context.js';
import { type IdKind, isIdOf } from '../../ids/ids.js';
import { BatchedEdges } from './batched-edges.js';

/** Resolves a reference to an entity: its representation has the members of the key. */
export type ResolveReference = (reference: Readonly<Record<string, unknown>>, context: RequestContext) => unknown;

/** Resolves references to records of one type. */
export type ReferencesTo<Shown> = (
  reference: Readonly<Record<string, unknown>>,
  context: RequestContext,
) => Promise<Shown | null>;

/**
 * Resolves references to records by their identifier, those of one answer by one read. Unknown records, those of other
 * tenants and those out of the caller's reach are null.
 *
 * @param read reads records as the root field of one record does, under its scope; called with no identifiers too, so
 *   that the scope is always checked
 */
export function referencesTo<Key extends string, Shown extends Readonly<Record<Key, string>>>(
  key: Key,
  kind: IdKind,
  read: (context: RequestContext, ids: readonly string[]) => Promise<readonly Shown[]>,
): ReferencesTo<Shown> {
  const batch = new BatchedEdges<string, Shown | null>(async (context, _, named) => {
    const ids = [...new Set(named)].filter((id) => isIdOf(kind, id));
    const found = new Map<string, Shown>();
    for (const one of await read(context, ids)) found.set(one[key], one);
    return named.map((id) => found.get(id) ?? null);
  });
  return (reference, context) => batch.load(context, '', String(reference[key]));
}
