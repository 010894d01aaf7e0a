import { BsonDate, BsonDoc } from '../bson/value.js';
import type { System } from '../server/system.js';

/** Sessions expire as MongoDB's do. */
const TIMEOUT_MS = 30 * 60_000;
/** The oldest session is forgotten above this number: sessions hold no state here. */
const MAX_SESSIONS = 100_000;

interface Session {
  readonly id: BsonDoc;
  lastUseMs: number;
}

/** The logical sessions that clients named, for `$listLocalSessions`. */
export class SessionRegistry {
  /** By id, the least recently used first. */
  readonly #sessions = new Map<string, Session>();
  readonly #system: Pick<System, 'nowMs'>;

  constructor(system: Pick<System, 'nowMs'>) {
    this.#system = system;
  }

  note(lsid: unknown): void {
    const key = keyOf(lsid);
    if (!(lsid instanceof BsonDoc) || key === undefined) return;
    this.#sessions.delete(key);
    this.#sessions.set(key, { id: lsid, lastUseMs: this.#system.nowMs() });
    const [oldest] = this.#sessions.size > MAX_SESSIONS ? this.#sessions.keys() : [];
    if (oldest !== undefined) this.#sessions.delete(oldest);
  }

  end(lsid: unknown): void {
    const key = keyOf(lsid);
    if (key !== undefined) this.#sessions.delete(key);
  }

  /** The sessions of the last half hour. */
  list(): BsonDoc[] {
    const sinceMs = this.#system.nowMs() - TIMEOUT_MS;
    return [...this.#sessions.values()]
      .filter(({ lastUseMs }) => lastUseMs >= sinceMs)
      .map(({ id, lastUseMs }) => BsonDoc.of({ _id: id, lastUse: BsonDate.fromMs(lastUseMs) }));
  }
}

function keyOf(lsid: unknown): string | undefined {
  const id = lsid instanceof BsonDoc ? lsid.get('id') : undefined;
  return typeof id === 'object' && id !== null && '_bsontype' in id && id._bsontype === 'Binary'
    ? Buffer.from(id.buffer.subarray(0, id.position)).toString('hex')
    : undefined;
}
