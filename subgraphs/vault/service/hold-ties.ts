import { isoTime } from '../../../shared/clock/clock.js';
import type { RecordTies } from '../../../shared/contracts/record-ties.js';
import type { StoredHold, TenantHolds } from './ports/hold-store.js';

/** Holds by what their scope names. What a filter covers is not named: it is found along the members. */
export async function holdTies(
  holds: Pick<TenantHolds, 'among'>,
  holdIds: readonly string[],
): Promise<readonly RecordTies[]> {
  return (await holds.among(holdIds)).map(tiesOf);
}

function tiesOf({ hold_id, created_at, status, scope, matter_id }: StoredHold): RecordTies {
  const named = (kind: string, ids: readonly string[] = []): string[] => ids.map((id) => `${kind}:${id}`);
  return {
    kind: 'hold',
    id: hold_id,
    at: isoTime(created_at.getTime()),
    label: null,
    status,
    names: [
      ...named('member', scope.member_ids),
      ...named('event', scope.event_ids),
      ...named('document', scope.document_ids),
      ...(matter_id === null ? [] : [`matter:${matter_id}`]),
    ],
  };
}
