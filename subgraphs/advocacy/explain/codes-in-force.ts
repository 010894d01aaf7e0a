import type { LedgerEventView } from '../../../shared/contracts/event-reads.js';
import type { CodeTables } from '../codes/index.js';
import { eventCodes, serviceDay } from '../facts/domain/index.js';
import type { ExplainData } from './domain/explain-data.js';
import { MAX_REASONS, plainCodeOf } from './domain/reasons.js';

/**
 * The data with the reason codes of an event as they were on its day of service. A code of an imported table that has a
 * last day is retired after that day, and in use before it. Codes of a table without dates keep the word of the data.
 *
 * @returns the data itself if no imported table says otherwise.
 */
export async function codesInForce(
  data: ExplainData,
  tables: Pick<CodeTables, 'find'>,
  event: LedgerEventView,
): Promise<ExplainData> {
  const day = new Date(serviceDay(event)?.value ?? event.recorded_at);
  const lists = new Map(data.lists);
  let isChanged = false;
  for (const reason of eventCodes(event).reasons.slice(0, MAX_REASONS)) {
    const plain = plainCodeOf(data, reason);
    const list = lists.get(reason.system);
    if (plain === null || list === undefined) continue;
    const until = (await tables.find(reason.system, reason.code))?.effective_to;
    if (until === undefined) continue;
    const replacedBy = day < until ? null : (plain.replacedBy ?? []);
    lists.set(reason.system, { ...list, codes: new Map(list.codes).set(reason.code, { ...plain, replacedBy }) });
    isChanged = true;
  }
  return isChanged ? { ...data, lists } : data;
}
