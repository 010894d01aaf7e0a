import { type Document, ObjectId, serialize } from 'bson';

/** Three indexes in addition to `_id`: two with keys in random order, one of them unique, and a compound one in time order. */
export const EVENT_INDEXES = [
  { name: 'by_event', key: { event_id: 1 }, unique: true },
  { name: 'by_member', key: { member: 1, at: -1 } },
  { name: 'by_time', key: { tenant: 1, kind: 1, at: 1 } },
] as const;

export const TENANTS = 20;
export const KINDS = 5;
const MEMBERS = 50_000;
const START_MS = Date.UTC(2026, 0, 1);

/** Makes about 1.1 KB with `fillerBytes` of 800. A fixed sequence spreads event ids and members, so runs are alike. */
export function benchEvent(n: number, fillerBytes = 800): Document {
  return {
    _id: new ObjectId(eventHex(n, 24)),
    event_id: eventId(n),
    tenant: `tenant-${n % TENANTS}`,
    kind: `kind-${Math.floor(n / TENANTS) % KINDS}`,
    member: `member-${spread(n) % MEMBERS}`,
    at: new Date(START_MS + n * 1000),
    version: 1,
    state: 'received',
    amount: n / 4,
    lines: [
      { number: 1, code: '99213', units: 1 },
      { number: 2, code: '72148', units: 2 },
    ],
    filler: 'x'.repeat(fillerBytes),
  };
}

export const eventId = (n: number): string => `event-${eventHex(spread(n), 8)}-${n}`;

export const eventBytes = (n: number, fillerBytes?: number): Uint8Array => serialize(benchEvent(n, fillerBytes));

const eventHex = (n: number, digits: number): string => n.toString(16).padStart(digits, '0');

/** A bijection of 32-bit numbers (odd multiplier) that scatters neighbours. */
const spread = (n: number): number => Math.imul(n + 1, 0x9e3779b1) >>> 0;
