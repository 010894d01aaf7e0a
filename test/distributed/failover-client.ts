import { Pool } from 'undici';
import { envelope } from '../support/envelopes.js';

const NEVER_SENT = 'ECONNREFUSED';

export interface Ack {
  readonly event_id: string;
  readonly source_system: string;
  readonly sequence: number;
  readonly entry_hash: string;
}

/** What became of a request that was not answered well. */
export interface Loss {
  readonly url: string;
  readonly what: string;
}

/**
 * A client of several facades behind one list of addresses, as an integrator writes one: connections are kept alive, and
 * an address that refuses a connection is passed over. Everything else that is no answer is a loss, and counted.
 */
export class FailoverClient {
  readonly #pools: readonly { readonly url: string; readonly pool: Pool }[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly acknowledged: Ack[] = [];
  readonly losses: Loss[] = [];
  #next = 0;

  constructor(urls: readonly string[], key: string, connections: number) {
    this.#pools = urls.map((url) => ({ url, pool: new Pool(url, { connections, pipelining: 1 }) }));
    this.#headers = { 'x-api-key': key, 'content-type': 'application/json' };
  }

  /** Posts each event to the next facade; an event without an acknowledgement is a loss. */
  async post(name: string, sourceSystem: string): Promise<boolean> {
    const body = JSON.stringify(envelope(name, { source_system: sourceSystem }));
    const first = this.#next++;
    for (let i = 0; i < this.#pools.length; i++) {
      const place = this.#pools[(first + i) % this.#pools.length];
      if (!place) continue;
      try {
        const answer = await place.pool.request({ method: 'POST', path: '/v1/events', headers: this.#headers, body });
        const text = await answer.body.text();
        if (answer.statusCode === 200) {
          this.acknowledged.push(JSON.parse(text) as Ack);
          return true;
        }
        this.losses.push({ url: place.url, what: `${answer.statusCode} ${text.slice(0, 200)}` });
        return false;
      } catch (error) {
        const { code, message } = error as { readonly code?: string; readonly message: string };
        if (code === NEVER_SENT) continue;
        this.losses.push({ url: place.url, what: code ?? message });
        return false;
      }
    }
    this.losses.push({ url: 'every address', what: NEVER_SENT });
    return false;
  }

  /** Posts again until it is acknowledged: sending an event again is safe. */
  async postUntilAcknowledged(name: string, sourceSystem: string, stopped: () => boolean): Promise<void> {
    while (!(await this.post(name, sourceSystem))) {
      if (stopped()) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#pools.map(({ pool }) => pool.destroy()));
  }
}
