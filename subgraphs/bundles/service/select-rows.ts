import type { EventSelection } from '../../../shared/contracts/ledger-records.js';
import { windowOf } from '../domain/bundle-scope.js';
import { RowSet, type RowSetPart } from '../domain/row-set.js';
import type { Build, BuildDeps } from './build-deps.js';
import { tooLarge } from './build-failure.js';
import type { FrozenInputs, StoredBundle } from './ports/bundle-store.js';

/** 18 bytes a row: a part is far below what a document of the database may hold. */
const PART_ROWS = 200_000;
const IDS_A_CALL = 1_000;

/** The events of a bundle. What was found first is kept: a take-over works on the same ones. */
export async function rowsOf(deps: BuildDeps, build: Build): Promise<RowSet> {
  const { inputs } = build;
  let fresh: RowSet | undefined;
  const { parts } = await inputs.kept('ROWS', 0, async () => {
    fresh = await collectRows(deps, build);
    let n = 0;
    for (const part of fresh.parts(PART_ROWS)) {
      n++;
      await inputs.kept('ROWS', n, async () => part);
    }
    return { parts: n };
  });
  const kept: RowSetPart[] = [];
  for (let n = 1; n <= parts; n++) kept.push(await inputs.kept('ROWS', n, missing));
  return RowSet.ofParts(kept);
}

const missing = (): Promise<RowSetPart> => Promise.reject(new Error('a part of the row set was not kept'));

async function collectRows(
  deps: BuildDeps,
  { tenantId, bundle, frozen }: Pick<Build, 'tenantId' | 'bundle' | 'frozen'>,
): Promise<RowSet> {
  const collector = RowSet.collector();
  const { tree_size } = frozen.checkpoint;
  for (const selection of selectionsOf(bundle.scope, frozen)) {
    let cursor: string | null = null;
    do {
      const page = await deps.ledgerRecords.select(tenantId, selection, tree_size, cursor);
      collector.add(page.places);
      // Repeated places are counted too: what could be within the limit is judged when they are counted once.
      if (collector.size > deps.maxEvents * 2) throw tooLarge(deps.maxEvents);
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
  const rows = collector.rowSet();
  if (rows.size > deps.maxEvents) throw tooLarge(deps.maxEvents);
  return rows;
}

/** What is asked of the ledger for a scope; long lists of ids are asked for in parts. */
export function selectionsOf(
  scope: StoredBundle['scope'],
  { member_ids, event_ids }: Pick<FrozenInputs, 'member_ids' | 'event_ids'>,
): readonly EventSelection[] {
  const { matter_id, incident_id } = scope;
  const { fromMs, toMs } = windowOf(scope);
  const window = {
    ...(fromMs === undefined ? {} : { from_ms: fromMs }),
    ...(toMs === undefined ? {} : { to_ms: toMs }),
  };
  const carried = {
    ...(matter_id === undefined ? {} : { matter_id }),
    ...(incident_id === undefined ? {} : { incident_id }),
  };
  return [
    ...inParts(member_ids).map((ids) => ({ ...window, member_ids: ids })),
    ...(Object.keys(carried).length === 0 ? [] : [{ ...window, ...carried }]),
    ...inParts(event_ids).map((ids) => ({ ...window, event_ids: ids })),
  ];
}

export function inParts<T>(items: readonly T[], size = IDS_A_CALL): readonly (readonly T[])[] {
  const parts: (readonly T[])[] = [];
  for (let from = 0; from < items.length; from += size) parts.push(items.slice(from, from + size));
  return parts;
}
