import type { EntryPlace, EventSelection } from '../../../shared/contracts/ledger-records.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { windowOf } from '../bundles/domain/index.js';
import type { FrozenInputs, StoredBundle } from '../bundles/index.js';
import type { Build, BuildDeps } from './build-deps.js';
import { tooLarge } from './build-failure.js';
import { RowSet, type RowSetPart } from './domain/row-set.js';

/** At 18 bytes a row, a part is far below the document limit of the database. */
const PART_ROWS = 200_000;
const IDS_A_CALL = 1_000;

/** Returns the events of a bundle. A repeated build reuses the stored result. */
export async function rowsOf(deps: BuildDeps, build: Build): Promise<RowSet> {
  const { inputs } = build;
  const { parts } = await inputs.kept('ROWS', 0, async () => {
    let n = 0;
    for (const part of (await collectRows(deps, build)).parts(PART_ROWS)) {
      n++;
      await inputs.kept('ROWS', n, async () => part);
    }
    return { parts: n };
  });
  const kept: RowSetPart[] = [];
  for (let n = 1; n <= parts; n++) kept.push(await inputs.kept('ROWS', n, missing));
  return RowSet.ofParts(kept);
}

const missing = (): Promise<RowSetPart> => Promise.reject(new Error('a part of the row set is missing'));

async function collectRows(
  deps: BuildDeps,
  { tenantId, bundle, frozen }: Pick<Build, 'tenantId' | 'bundle' | 'frozen'>,
): Promise<RowSet> {
  const collector = RowSet.collector();
  const { tree_size } = frozen.checkpoint;
  for await (const places of placesOf(deps, tenantId, selectionsOf(bundle.scope, frozen), tree_size)) {
    collector.add(places);
    // The collector counts repeated places; the exact count follows below.
    if (collector.size > deps.maxEvents * 2) throw tooLarge(deps.maxEvents);
  }
  const rows = collector.rowSet();
  if (rows.size > deps.maxEvents) throw tooLarge(deps.maxEvents);
  return rows;
}

/** Yields the places that queries of the ledger find, page by page; a place may repeat. */
export async function* placesOf(
  { ledgerRecords }: Pick<BuildDeps, 'ledgerRecords'>,
  tenantId: TenantId,
  selections: readonly EventSelection[],
  treeSize: number,
): AsyncGenerator<readonly EntryPlace[]> {
  for (const selection of selections) {
    let cursor: string | null = null;
    do {
      const page = await ledgerRecords.select(tenantId, selection, treeSize, cursor);
      yield page.places;
      cursor = page.next_cursor;
    } while (cursor !== null);
  }
}

/** Returns the ledger queries for a scope; long lists of ids are split. */
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
