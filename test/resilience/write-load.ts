import { expect } from '@jest/globals';
import { keyed } from '../rest-facade/edge-kit.js';
import { envelope } from '../support/envelopes.js';
import { type Answer, Http } from '../support/http.js';

// Writers that post events while something fails. Their list of acknowledgements is the oracle of the suites.

const WRITERS = 8;
/** The pause of a writer after a request without an answer. */
const UNANSWERED_PAUSE_MS = 200;

/** The place of an event, as its acknowledgement states it. */
export interface Receipt {
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly entry_hash: string;
}

export interface Load {
  readonly receipts: Receipt[];
  /** Answers other than success. */
  readonly failures: Answer[];
  /** Requests without an answer. */
  readonly unanswered: () => number;
  stop(): Promise<void>;
}

interface LoadOptions {
  /** Events go to these chains. */
  readonly sources?: readonly string[];
  /** Unique among the loads of a tenant. */
  readonly name?: string;
}

/**
 * Posts events from several writers until it is stopped. Each waits as Retry-After says and sends its event again under
 * the same key. A writer ends at an answer that is neither a success nor a 503.
 */
export function startLoad(
  url: string,
  key: string | null,
  { sources = ['um-core'], name = 'kill' }: LoadOptions = {},
): Load {
  const receipts: Receipt[] = [];
  const failures: Answer[] = [];
  let unanswered = 0;
  let isStopped = false;
  const http = new Http(url, key);
  const write = async (writer: number): Promise<void> => {
    for (let n = 0; !isStopped; n += 1) {
      const again = keyed();
      const body = envelope(`${name}-${writer}-${n}`, { source_system: sources[n % sources.length] });
      while (!isStopped) {
        const answer = await http.post('/v1/events', body, again).catch(() => undefined);
        if (answer === undefined) {
          unanswered += 1;
          await pause(UNANSWERED_PAUSE_MS);
          continue;
        }
        if (answer.status < 300) {
          receipts.push(answer.json as Receipt);
          break;
        }
        failures.push(answer);
        if (isFatal(answer)) return;
        await pause(Number(answer.headers.get('retry-after')) * 1_000);
      }
    }
  };
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return {
    receipts,
    failures,
    unanswered: () => unanswered,
    stop: async () => {
      isStopped = true;
      await writing;
    },
  };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Anything but a success or a request to try again. */
export const isFatal = ({ status }: Answer): boolean => status !== 503;

/** Every failure asked to try again, with the time after which to do so. */
export function expectOnlyRetries({ failures }: Load, log: () => string): void {
  const fatal = failures.filter(isFatal).map(({ status, json }) => ({ status, json }));
  // The log of the service names the cause.
  expect({ fatal, log: fatal.length === 0 ? '' : log() }).toEqual({ fatal: [], log: '' });
  expect(failures.every(({ headers }) => Number(headers.get('retry-after')) > 0)).toBe(true);
}

/** Reads the whole ledger once and compares the place of every acknowledged event with its receipt. */
export async function expectAllPresent(http: Http, receipts: readonly Receipt[]): Promise<void> {
  const found = new Map<string, Receipt>();
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await http.get(`/v1/events?limit=500${cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`}`);
    for (const event of page.json.items as Receipt[]) found.set(event.event_id, event);
    cursor = page.json.next_cursor as string | null;
  }
  const lost = receipts.filter(({ event_id, sequence, entry_hash }) => {
    const event = found.get(event_id);
    return event?.sequence !== sequence || event.entry_hash !== entry_hash;
  });
  expect(lost).toEqual([]);
}

/** The ledger verifies, and every acknowledged event is where its receipt says. */
export async function expectVerified(http: Http, receipts: readonly Receipt[]): Promise<void> {
  const verdict = await http.get('/v1/ledger/verify');
  expect(verdict.json).toMatchObject({ valid: true, breaks: [] });
  await expectAllPresent(http, receipts);
}
