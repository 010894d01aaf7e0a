import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MllpFrames } from '../../../subgraphs/ledger/connectors/adapters/mllp-frames.js';
import type { Http } from '../../support/http.js';

const DEADLINE_MS = 150_000;
const POLL_MS = 20;

/** Polls until the look-up returns a value; fails with the last value. */
export async function until<T>(look: () => Promise<T | null | undefined | false>, what: string): Promise<T> {
  const deadlineMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > deadlineMs) throw new Error(`never came: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** An admission of a synthetic patient; `n` is its control id and makes it another one. */
export const admission = (n: number | string, { sender = 'ADTAPP' } = {}): string =>
  [
    `MSH|^~\\&|${sender}|NORTH|EAS|PLAN|20260302120000||ADT^A01^ADT_A01|${n}|P|2.5.1`,
    `EVN|A01|20260302120000`,
    `PID|1||SYN-${n}^^^PLAN^MB||DOE^SYN`,
    'PV1|1|I',
    '',
  ].join('\r');

export const inFrame = (text: string | Buffer): Buffer =>
  Buffer.concat([Buffer.of(0x0b), Buffer.from(text), Buffer.of(0x1c, 0x0d)]);

/** MSA-1 and MSA-2 of an answer. */
export const verdictOf = (answer: string): string => /MSA\|(\w\w)\|([^|\r]*)/.exec(answer)?.slice(1, 3).join(' ') ?? '';

/** A sender of MLLP: writes frames, and hands out answers in the order they came. */
export class Sender {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  readonly #frames = new MllpFrames(1_048_576);
  readonly #answers: string[] = [];
  readonly #waiting: ((answer: string | null) => void)[] = [];
  #over = false;

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      for (const frame of this.#frames.push(chunk)) {
        const waiting = this.#waiting.shift();
        if (waiting) waiting(frame.toString());
        else this.#answers.push(frame.toString());
      }
    });
    socket.on('error', () => socket.destroy());
    this.closed = new Promise((resolve) =>
      socket.on('close', () => {
        this.#over = true;
        for (const waiting of this.#waiting.splice(0)) waiting(null);
        resolve();
      }),
    );
  }

  static async to(port: number, tls?: { readonly ca: string; readonly servername: string }): Promise<Sender> {
    const socket = tls ? connectTls({ port, host: '127.0.0.1', ...tls }) : connect({ port, host: '127.0.0.1' });
    const sender = new Sender(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once(tls ? 'secureConnect' : 'connect', () => resolve());
      socket.once('error', reject);
    });
    return sender;
  }

  /** The next answer; null when the connection ends before it. */
  answer(): Promise<string | null> {
    const ready = this.#answers.shift();
    if (ready !== undefined) return Promise.resolve(ready);
    if (this.#over) return Promise.resolve(null);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  send(text: string | Buffer): Promise<string | null> {
    this.socket.write(inFrame(text));
    return this.answer();
  }

  end(): Promise<void> {
    this.socket.end();
    return this.closed;
  }
}

// biome-ignore lint/suspicious/noExplicitAny: an answer is what the test is about to judge.
type Json = any;

export async function makeConnector(http: Http, body: Readonly<Record<string, unknown>>): Promise<Json> {
  const made = await http.post('/v1/connectors', { name: 'A connector', source_system: 'north', ...body });
  if (made.status !== 200) throw new Error(`no connector: ${made.status} ${made.text}`);
  return made.json;
}

export const read = async (http: Http, id: string): Promise<Json> => (await http.get(`/v1/connectors/${id}`)).json;

/** Makes a connector and waits until it is at work. */
export async function runConnector(http: Http, body: Readonly<Record<string, unknown>>): Promise<Json> {
  const { connector_id } = await makeConnector(http, body);
  await http.post(`/v1/connectors/${connector_id}/enable`, {});
  return until(async () => {
    const found = await read(http, connector_id);
    return found.status === 'ENABLED' && (found.config.transport !== 'MLLP' || found.listening) ? found : null;
  }, 'a connector at work');
}

export async function eventsOf(http: Http, query = ''): Promise<Json[]> {
  const events: Json[] = [];
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await http.get(`/v1/events?limit=500&${query}${cursor && `&cursor=${encodeURIComponent(cursor)}`}`);
    events.push(...page.json.items);
    cursor = page.json.next_cursor;
  }
  return events;
}
