import type { RequestContext } from '../../../shared/auth/context.js';
import { problem } from '../../../shared/errors/problem.js';
import { sameScope } from './domain/scope.js';
import { type ReadBundleDeps, type SealedBundle, sealedBundle } from './read-bundles.js';
import { type ArchiveDeps, itemsOf, type SealedItem } from './sealed-archive.js';

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

interface BundlesDiff {
  readonly bundle: SealedBundle;
  readonly against: SealedBundle;
  readonly events: ItemsDiff;
  readonly documents: ItemsDiff;
}

/**
 * Compares two bundles by their sealed manifests, never by live rows.
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
  const lists = (name: 'events' | 'documents') => [itemsOf(deps, bundle, name), itemsOf(deps, against, name)] as const;
  const events = await diffInTreeOrder(...lists('events'));
  const [mine, others] = lists('documents');
  return { bundle, against, events, documents: diffById(await collected(mine), await collected(others)) };
}

async function collected(items: AsyncIterable<SealedItem>): Promise<readonly SealedItem[]> {
  const found: SealedItem[] = [];
  for await (const item of items) found.push(item);
  return found;
}

/** Merges two lists in tree order, with one event of each in memory. */
async function diffInTreeOrder(
  mine: AsyncGenerator<SealedItem>,
  others: AsyncGenerator<SealedItem>,
): Promise<ItemsDiff> {
  const diff: ItemsDiff = { added: [], removed: [], changed: [] };
  const next = async (list: AsyncGenerator<SealedItem>): Promise<SealedItem | undefined> => {
    const step = await list.next();
    return step.done ? undefined : step.value;
  };
  let [a, b] = [await next(mine), await next(others)];
  while (a !== undefined || b !== undefined) {
    if (b === undefined || (a !== undefined && a.tree_index < b.tree_index)) {
      if (a) diff.added.push(a.id);
      a = await next(mine);
    } else if (a === undefined || b.tree_index < a.tree_index) {
      diff.removed.push(b.id);
      b = await next(others);
    } else {
      diff.changed.push(...change(a, b));
      [a, b] = [await next(mine), await next(others)];
    }
  }
  return diff;
}

const change = (now: SealedItem, before: SealedItem): ChangedItem[] =>
  now.sha256 === before.sha256 && now.state === before.state ? [] : [{ id: now.id, from: before.state, to: now.state }];

function diffById(mine: readonly SealedItem[], others: readonly SealedItem[]): ItemsDiff {
  const before = new Map(others.map((item) => [item.id, item]));
  const now = new Set(mine.map(({ id }) => id));
  return {
    added: mine.flatMap(({ id }) => (before.has(id) ? [] : [id])),
    removed: others.flatMap(({ id }) => (now.has(id) ? [] : [id])),
    changed: mine.flatMap((item) => {
      const was = before.get(item.id);
      return was === undefined ? [] : change(item, was);
    }),
  };
}
