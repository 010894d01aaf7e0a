import { Readable } from 'node:stream';
import { expect } from '@jest/globals';
import type { Database } from '../../../shared/db/database.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { INGEST, type LedgerProcess, logIdOf, startLedger, TENANT } from '../ledger-kit.js';

const HOUR_MS = 3_600_000;
const LINKS = `query($id: String!) { eventLinks(event_id: $id) { items { kind event_id event_type via } truncated } }`;
const INGEST_RAW = `mutation($sha: String!, $source: String) {
  ingestRaw(raw_sha256: $sha, source_system: $source) { accepted rejected results { event_id } } }`;

/** An exception as it is stored. */
export interface Told {
  readonly kind: string;
  readonly status: string;
  readonly resolution?: string;
  readonly subject: { readonly id: string };
  readonly detail: Record<string, unknown>;
  readonly occurrences: number;
}

interface Started {
  readonly database: Database;
  readonly ledger: LedgerProcess;
}

/** The whole ledger on the test's clock: appended events are linked when `caughtUp` is called, and not before. */
export class LinksKit {
  #server: TestServer | undefined;
  #started: Started | undefined;
  #names = 0;

  readonly start = async (): Promise<void> => {
    this.#server = await startTestServer();
  };
  readonly stop = (): Promise<void> | undefined => this.#server?.stop();

  /** A ledger on an empty database. */
  readonly begin = async (): Promise<void> => {
    this.#names += 1;
    const database = await this.#server?.connect(`links_${this.#names}`);
    if (!database) throw new Error('the kit is not started');
    await database.db.dropDatabase();
    this.#started = { database, ledger: await startLedger(database, { scopes: ['admin'] }) };
  };
  readonly end = async (): Promise<void> => {
    await this.ledger.close();
    await this.database.close();
  };

  get database(): Database {
    return this.#parts().database;
  }

  get ledger(): LedgerProcess {
    return this.#parts().ledger;
  }

  #parts(): Started {
    if (!this.#started) throw new Error('the kit is not started');
    return this.#started;
  }

  /** @param words family, type and outcome. */
  readonly envelopeOf = (words: string, payload: object, over: Record<string, unknown> = {}): object => {
    const [event_family, event_type, outcome] = words.split(' ');
    this.#names += 1;
    const event_effective_timestamp = new Date(this.ledger.clock.nowMs()).toISOString();
    const named = { source_system: 'feed', source_record_id: `R-${this.#names}`, event_effective_timestamp };
    return { event_family, event_type, outcome, member_id: 'M-1', ...named, payload, ...over };
  };

  /** @returns the event's id. */
  readonly append = async (words: string, payload: object, over: Record<string, unknown> = {}): Promise<string> => {
    const [id] = await this.appendAll([this.envelopeOf(words, payload, over)]);
    return String(id);
  };

  readonly appendAll = async (items: readonly object[], tenant?: string): Promise<string[]> => {
    const { ingestEvents } = await this.ledger.run(INGEST, { items }, tenant);
    expect(ingestEvents.rejected).toBe(0);
    return ingestEvents.results.map(({ event_id }: { event_id: string }) => event_id);
  };

  /** @returns the id of the one event of a raw message. */
  readonly postRaw = async (text: string, source: string): Promise<string> => {
    const worm = this.ledger.worm.forTenant({ tenantId: TENANT as never, logId: logIdOf(TENANT) });
    const { sha256 } = await worm.putBlob(Readable.from([Buffer.from(text)]), 1e9);
    const { ingestRaw } = await this.ledger.run(INGEST_RAW, { sha: sha256, source });
    expect(ingestRaw).toMatchObject({ accepted: 1, rejected: 0 });
    return ingestRaw.results[0].event_id;
  };

  readonly caughtUp = async (): Promise<void> => {
    await this.ledger.runRecurring('ledger.links.look');
    await this.ledger.runQueue('ledger.links');
  };

  /** Advances the clock, and evaluates the due links. */
  readonly later = async (hours: number): Promise<void> => {
    this.ledger.clock.advance(hours * HOUR_MS);
    await this.ledger.runRecurring('ledger.links.due');
  };

  readonly linksOf = async (id: string, tenant?: string) => (await this.ledger.run(LINKS, { id }, tenant)).eventLinks;

  readonly exceptions = (): Promise<Told[]> =>
    this.database.db.collection<Told>('exceptions').find({}).sort({ kind: 1, _id: 1 }).toArray();

  readonly told = async (): Promise<string[]> =>
    (await this.exceptions()).map(({ kind, status }) => `${kind} ${status}`);

  readonly claim = (claim_id: string, prior_authorizations: readonly string[] = []) =>
    this.append('claim claim_submitted submitted', { claim_id, prior_authorizations });

  readonly remittance = (claim_id: string, outcome = 'paid', more: object = {}) =>
    this.append(`remittance claim_adjudicated ${outcome}`, { claim_id, ...more });

  readonly request = (trace: string, more: object = {}) =>
    this.append('prior_authorization authorization_requested submitted', { trace_numbers: [trace], ...more });

  readonly decision = (payload: object, outcome = 'approved', over: Record<string, unknown> = {}) =>
    this.append(`prior_authorization authorization_decided ${outcome}`, payload, over);
}
