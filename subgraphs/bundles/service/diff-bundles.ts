import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import type { ManifestDocument, ManifestEvent } from '../../../shared/evidence/bundle/manifest.js';
import { sameScope } from '../domain/bundle-scope.js';
import { type ReadBundleDeps, type SealedBundle, sealedBundle } from './read-bundles.js';
import { type ArchiveDeps, documentsOf, eventsOf } from './sealed-archive.js';

export interface DiffDeps extends ReadBundleDeps, ArchiveDeps {}

interface ChangedItem {
  readonly id: string;
  readonly from: string;
  readonly to: string;
}

interface ItemsDiff {
  readonly added: string[];
  readonly removed: string[];
  readonly changed: ChangedItem[];
}

export interface BundlesDiff {
  readonly bundle: SealedBundle;
  readonly against: SealedBundle;
  readonly events: ItemsDiff;
  readonly documents: ItemsDiff;
}

/**
 * What is in a bundle and not in the one it is held against, and the other way round; read from the sealed manifests, and
 * never from live rows.
 *
 * @throws NOT_FOUND, NOT_SEALED, SCOPE_MISMATCH
 */
export async function diffBundles(
  deps: DiffDeps,
  context: RequestContext,
  bundleId: string,
  againstId: string,
): Promise<BundlesDiff> {
  const bundle = await sealedBundle(deps, context, bundleId);
  const against = await sealedBundle(deps, context, againstId);
  if (!sameScope(bundle.scope, against.scope)) throw problem('SCOPE_MISMATCH');
  if (bundle.consent?.purpose !== against.consent?.purpose) {
    throw problem('SCOPE_MISMATCH', { message: 'The two bundles were made for different purposes.' });
  }
  const events = await diffEvents(eventsOf(deps, bundle), eventsOf(deps, against));
  const documents = diffDocuments(await documentsOf(deps, bundle), await documentsOf(deps, against));
  return { bundle, against, events, documents };
}

/** Both lists are in order of the same tree, so that they are walked side by side in memory of one event each. */
export async function diffEvents(
  mine: AsyncGenerator<ManifestEvent>,
  others: AsyncGenerator<ManifestEvent>,
): Promise<ItemsDiff> {
  const diff: ItemsDiff = { added: [], removed: [], changed: [] };
  const next = async (list: AsyncGenerator<ManifestEvent>): Promise<ManifestEvent | undefined> => {
    const step = await list.next();
    return step.done ? undefined : step.value;
  };
  let [a, b] = [await next(mine), await next(others)];
  while (a !== undefined || b !== undefined) {
    if (b === undefined || (a !== undefined && a.tree_index < b.tree_index)) {
      if (a) diff.added.push(a.event_id);
      a = await next(mine);
    } else if (a === undefined || b.tree_index < a.tree_index) {
      diff.removed.push(b.event_id);
      b = await next(others);
    } else {
      if (a.sha256 !== b.sha256 || a.state !== b.state)
        diff.changed.push({ id: a.event_id, from: b.state, to: a.state });
      [a, b] = [await next(mine), await next(others)];
    }
  }
  return diff;
}

export function diffDocuments(mine: readonly ManifestDocument[], others: readonly ManifestDocument[]): ItemsDiff {
  const before = new Map(others.map((document) => [document.document_id, document]));
  const now = new Set(mine.map(({ document_id }) => document_id));
  const changed = mine.flatMap(({ document_id, sha256, state }): ChangedItem[] => {
    const was = before.get(document_id);
    if (was === undefined || (was.sha256 === sha256 && was.state === state)) return [];
    return [{ id: document_id, from: was.state, to: state }];
  });
  return {
    added: mine.flatMap(({ document_id }) => (before.has(document_id) ? [] : [document_id])),
    removed: others.flatMap(({ document_id }) => (now.has(document_id) ? [] : [document_id])),
    changed,
  };
}
