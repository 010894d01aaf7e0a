// Large answers of the API, for what the page does with them. The service's own time is measured by other parts.

const FIRST_MS = Date.UTC(2026, 0, 1);
const id = (prefix: string, n: number): string => `${prefix}_${String(n).padStart(26, '0')}`;
const at = (n: number): string => new Date(FIRST_MS + n * 60_000).toISOString();
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

export const timelineOf = (count: number) => ({
  member: null,
  member_ids: ['M-1'],
  next_cursor: null,
  items: numbers(count).map((n) => ({
    kind: 'EVENT',
    id: id('evt', n),
    at: at(n),
    type: 'claim_submitted',
    status: n % 3 === 0 ? 'DENIED' : 'APPROVED',
    source_system: 'claims',
  })),
});

export const eventsOf = (count: number) => ({
  next_cursor: null,
  items: numbers(count).map((n) => ({
    event_id: id('evt', n),
    event_type: 'claim_submitted',
    member_id: `M-${n % 1_000}`,
    outcome: n % 3 === 0 ? 'DENIED' : 'APPROVED',
    event_effective_timestamp: at(n),
    source_system: 'claims',
  })),
});

/** A member with events, each of which leads to a code and to the event before it. */
export function graphOf(count: number) {
  const codes = 200;
  const start = { id: 'member:M-1', kind: 'member' };
  const events = numbers(count - codes - 1).map((n) => ({
    id: `event:${id('evt', n)}`,
    kind: 'event',
    at: at(n),
    label: 'claim_submitted',
    status: 'denied',
  }));
  const codeNodes = numbers(codes).map((n) => ({ id: `code:CPT/${10_000 + n}`, kind: 'code' }));
  const edges = events.flatMap((event, n) => {
    const own = { from: event.id, at: event.at, event_id: event.id.slice('event:'.length) };
    const before = events[n - 1];
    return [
      { ...own, to: start.id, kind: 'CONCERNS' },
      { ...own, to: `code:CPT/${10_000 + (n % codes)}`, kind: 'PROCEDURE' },
      ...(before && n % 3 === 0 ? [{ ...own, to: before.id, kind: 'REPLACES' }] : []),
    ];
  });
  return { nodes: [start, ...events, ...codeNodes], edges, truncated: false };
}
