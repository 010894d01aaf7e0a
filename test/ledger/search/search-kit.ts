import { expect } from '@jest/globals';
import { graphql } from 'graphql';
import type { Document } from 'mongodb';
import { internalContext } from '../../../shared/auth/context.js';
import type { Database } from '../../../shared/db/database.js';
import type { TenantId } from '../../../shared/ids/tenant.js';
import { openJobs } from '../../../shared/jobs/open-jobs.js';
import { AppendSignal } from '../../../subgraphs/ledger/append/append-signal.js';
import type { LedgerRow } from '../../../subgraphs/ledger/append/domain/ledger-row.js';
import { mongoLedgerStore } from '../../../subgraphs/ledger/append/model/ledger-store.js';
import { consumeLedger } from '../../../subgraphs/ledger/followers/consume-ledger.js';
import { mongoConsumerCursors } from '../../../subgraphs/ledger/followers/model.js';
import { RecentRows } from '../../../subgraphs/ledger/followers/recent-rows.js';
import { indexRows } from '../../../subgraphs/ledger/search/index-events.js';
import {
  mongoSearchStore,
  SEARCH_CURSOR_COLLECTION,
  SEARCH as SEARCH_ROWS,
} from '../../../subgraphs/ledger/search/model.js';
import { startTestServer, type TestServer } from '../../support/database.js';
import { ManualClock, RecordingDesk, recordingLogger, seededRandomness } from '../../support/fakes.js';
import { INGEST, type LedgerProcess, startLedger } from '../ledger-kit.js';

const SEARCH = `query($query: String!, $outcome: String, $from: String, $limit: Int, $cursor: String) {
  searchEvents(query: $query, outcome: $outcome, from: $from, limit: $limit, cursor: $cursor) {
    items { id score source_record_id member_id highlights } total truncated
    facets { month outcome } freshness { indexed behind } next_cursor } }`;

let tenants = 0;
let seeds = 0;

/** A ledger on a separate database, and the parts of the search: only the test runs them. */
export class SearchKit {
  readonly clock = new ManualClock('2026-03-02T15:00:00.000Z');
  readonly log = recordingLogger();
  #started: { server: TestServer; database: Database; ledger: LedgerProcess } | undefined;

  readonly start = async (): Promise<void> => {
    const server = await startTestServer();
    const database = await server.connect('search');
    this.#started = { server, database, ledger: await startLedger(database) };
  };

  readonly stop = async (): Promise<void> => {
    await this.ledger.close();
    await this.#started?.server.stop();
  };

  get database(): Database {
    if (!this.#started) throw new Error('the kit is not started');
    return this.#started.database;
  }

  get ledger(): LedgerProcess {
    if (!this.#started) throw new Error('the kit is not started');
    return this.#started.ledger;
  }

  newTenant(): string {
    tenants += 1;
    return `search-${tenants}`;
  }

  async append(tenant: string, items: readonly Record<string, unknown>[]): Promise<string[]> {
    const { ingestEvents } = await this.ledger.run(INGEST, { items }, tenant);
    expect(ingestEvents.rejected).toBe(0);
    return ingestEvents.results.map(({ event_id }: { event_id: string }) => event_id);
  }

  /** Disposes of an event as a retention sweep does. */
  async dispose(tenant: string, { _id, event_id }: LedgerRow): Promise<void> {
    const { schema } = this.ledger.ledger;
    const variableValues = {
      order: {
        disposal_id: 'dsp_01JQ0000000000000000000001',
        at: new Date(this.clock.nowMs()).toISOString(),
        policies: ['default=10y'],
        events: [{ event_id, source_system: _id.source_system, sequence: _id.seq }],
      },
    };
    const source = 'mutation($order: JSON!) { disposeEvents(order: $order) }';
    const contextValue = internalContext(tenant as TenantId, 'test');
    const { errors } = await graphql({ schema, source, variableValues, contextValue });
    expect(errors).toBeUndefined();
  }

  async search(tenant: string, query: string, more: object = {}) {
    return (await this.ledger.run(SEARCH, { query, ...more }, tenant)).searchEvents;
  }

  indexing() {
    return { search: mongoSearchStore(this.database.db), clock: this.clock, logger: this.log.logger };
  }

  rebuilding() {
    return { database: this.database, clock: this.clock, logger: this.log.logger };
  }

  cursors(collection: string = SEARCH_CURSOR_COLLECTION) {
    return mongoConsumerCursors(this.database.db, collection);
  }

  /** A separate consumer, instead of the one that a started process runs. */
  async consumer(
    spec: Partial<Parameters<typeof consumeLedger>[1]> = {},
    collection: string = SEARCH_CURSOR_COLLECTION,
  ) {
    seeds += 1;
    const { database, clock } = this;
    const { logger } = recordingLogger();
    const deps = { database, clock, logger, exceptions: new RecordingDesk(), randomness: seededRandomness(seeds) };
    const jobs = await openJobs(deps, { alone: true });
    const appended = new AppendSignal();
    const recent = new RecentRows(clock);
    const store = mongoLedgerStore(database.db);
    const made = await consumeLedger(
      { store, cursors: this.cursors(collection), appended, recent, jobs, clock, logger },
      {
        name: `ledger.test${seeds}`,
        description: 'A test.',
        batchRows: 7,
        concurrency: 2,
        take: ({ tenantId }, rows) => indexRows(this.indexing(), tenantId, rows),
        ...spec,
      },
    );
    return { ...made, appended, recent };
  }

  async catchUp({
    lookBehind,
    queue,
  }: Pick<Awaited<ReturnType<typeof consumeLedger>>, 'lookBehind' | 'queue'>): Promise<void> {
    await lookBehind();
    await queue.runDue();
  }

  async rowsOf(tenant: string): Promise<LedgerRow[]> {
    const store = mongoLedgerStore(this.database.db).forTenant(tenant);
    const sources = await store.sourceSystems();
    return (await Promise.all(sources.map((source) => store.rows(source, 1, 1e9, 10_000)))).flat();
  }

  indexOf(tenant: string): Promise<Document[]> {
    return this.database.db.collection(SEARCH_ROWS.name).find({ tenant_id: tenant }).sort({ _id: 1 }).toArray();
  }
}
