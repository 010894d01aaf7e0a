import type { Clock } from '../../../shared/clock/clock.js';
import { repeat } from '../../../shared/clock/timers.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { BackgroundWork } from '../../../shared/graph/subgraph.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { serviceTaker } from '../../../shared/records/steps.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import { connectorSteps } from './change.js';
import { openConfig } from './config.js';
import {
  ConnectorFailure,
  type ConnectorRow,
  type ConnectorRuns,
  type ConnectorStore,
  type RunLease,
} from './ports.js';
import { type ConnectorRunner, RunJournal, type RunnerContext, retryMs } from './runner.js';

interface SupervisorDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKey: MasterKey;
  readonly tenants: TenantDirectory;
  readonly connectors: ConnectorStore;
  readonly runs: ConnectorRuns;
  /** Names this process in leases. */
  readonly owner: string;
  /** Runs a connector by its transport; an endpoint needs no runner. */
  readonly run: (context: RunnerContext) => Promise<ConnectorRunner>;
}

/** Interval of scans for changed connectors, ended leases and counts. */
const LOOK_EVERY_MS = 1_000;
/** Lease time, renewed at every scan: a dead process keeps its connectors this long. */
const LEASE_MS = 10_000;

interface Running {
  /** The current row, which may differ from the one that the runner was opened with. */
  connector: ConnectorRow;
  readonly signature: string;
  readonly lease: RunLease;
  readonly runner: ConnectorRunner;
  readonly journal: RunJournal;
  readonly ends: AbortController;
  readonly term: Term;
}

/** The lease is certainly held until then. */
interface Term {
  untilMs: number;
}

/** Runs the connectors that this process holds a lease of, and takes free ones. */
export class ConnectorSupervisor {
  readonly #deps: SupervisorDeps;
  readonly #running = new Map<string, Running>();
  #looking: Promise<void> | null = null;
  #again = false;
  #active = false;

  constructor(deps: SupervisorDeps) {
    this.#deps = deps;
  }

  start(): BackgroundWork {
    this.#active = true;
    const onError = (error: unknown): void =>
      this.#deps.logger.warn(describeUnexpected(error), 'the connector scan failed');
    this.#look().catch(onError);
    const looks = repeat(LOOK_EVERY_MS, () => this.#look(), onError);
    return {
      stop: async () => {
        this.#active = false;
        await looks.stop();
        await this.#looking?.catch(() => undefined);
        await Promise.all([...this.#running.values()].map((one) => this.#stop(one)));
      },
    };
  }

  /** Scans at once if this process runs connectors. */
  wake(): void {
    if (!this.#active) return;
    this.#look().catch((error: unknown) =>
      this.#deps.logger.warn(describeUnexpected(error), 'the connector scan failed'),
    );
  }

  /** One scan at a time; a request during a scan starts another one after it. */
  #look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return this.#looking;
    }
    this.#looking = this.#looks().finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #looks(): Promise<void> {
    do {
      this.#again = false;
      await this.#renewAll();
      const wanted = new Map((await this.#wanted()).map((one) => [one.connector_id, one]));
      for (const one of this.#running.values()) one.connector = wanted.get(one.connector.connector_id) ?? one.connector;
      const over = [...this.#running.values()].filter((one) => !isStill(one, wanted.get(one.connector.connector_id)));
      await Promise.all(over.map((one) => this.#stop(one)));
      for (const connector of wanted.values()) {
        if (!this.#active) return;
        if (!this.#running.has(connector.connector_id)) await this.#start(connector);
      }
      for (const one of this.#running.values()) await this.#report(one);
    } while (this.#again && this.#active);
  }

  /** Connectors of active tenants with a transport that needs a runner. */
  async #wanted(): Promise<readonly ConnectorRow[]> {
    const wanted: ConnectorRow[] = [];
    for (const connector of await this.#deps.connectors.toRun()) {
      if (connector.config['transport'] === 'ENDPOINT') continue;
      const tenant = await this.#deps.tenants.find(connector.tenant_id);
      if (tenant?.status === 'ACTIVE') wanted.push(connector);
    }
    return wanted;
  }

  async #renewAll(): Promise<void> {
    await Promise.all(
      [...this.#running.values()].map(async (one) => {
        const untilMs = this.#deps.clock.nowMs() + LEASE_MS;
        const renewed = await this.#deps.runs.renew(one.lease, untilMs).catch(() => undefined);
        if (renewed) one.term.untilMs = untilMs;
        // Another process holds the lease or may by now: take nothing more.
        if (renewed !== false && this.#deps.clock.nowMs() <= one.term.untilMs) return;
        one.ends.abort();
        await this.#stop(one);
      }),
    );
  }

  async #start(connector: ConnectorRow): Promise<void> {
    const { clock, runs, owner, masterKey } = this.#deps;
    const { tenant_id, connector_id } = connector;
    const run = (await runs.of(tenant_id, [connector_id])).get(connector_id);
    const nowMs = clock.nowMs();
    if (run?.retry_at && run.retry_at.getTime() > nowMs) return;
    if (run?.until && run.until.getTime() > nowMs) return;
    const lease = await runs.hold(connector, owner, nowMs, nowMs + LEASE_MS);
    if (!lease) return;
    const { whole } = openConfig(masterKey, connector);
    const journal = new RunJournal(clock);
    const ends = new AbortController();
    const term: Term = { untilMs: nowMs + LEASE_MS };
    const context = {
      connector,
      config: whole,
      lastPort: run?.last_port ?? null,
      cursor: run?.cursor ?? {},
      journal,
      signal: ends.signal,
      holds: () => !ends.signal.aborted && clock.nowMs() <= term.untilMs,
    };
    try {
      const runner = await this.#deps.run(context);
      const signature = signatureOf(connector);
      const one = { connector, signature, lease, runner, journal, ends, term };
      this.#running.set(connector_id, one);
      await runs.note(lease, { retry_at: null, attempts: 0 });
    } catch (error) {
      await this.#failed(connector, lease, journal, { error, attempts: (run?.attempts ?? 0) + 1 });
    }
  }

  /** Opening failed: any process retries later. */
  async #failed(
    connector: ConnectorRow,
    lease: RunLease,
    journal: RunJournal,
    { error, attempts }: { readonly error: unknown; readonly attempts: number },
  ): Promise<void> {
    const failure = failureOf(error);
    if (!(error instanceof ConnectorFailure)) {
      this.#deps.logger.warn(describeUnexpected(error), 'a connector could not start');
    }
    journal.fails(failure);
    const retry_at = new Date(this.#deps.clock.nowMs() + retryMs(attempts));
    await this.#deps.runs.note(lease, { ...journal.take(), retry_at, attempts });
    await this.#deps.runs.release(lease);
    await this.#mark(connector, 'ERROR');
  }

  /** Saves the progress of a run; updates the connector's status. */
  async #report(one: Running): Promise<void> {
    const note = one.journal.take();
    if (note && !(await this.#deps.runs.note(one.lease, note))) await this.#stop(one);
    const state = one.journal.failure ? 'ERROR' : 'ENABLED';
    if (one.connector.status !== state) await this.#mark(one.connector, state);
  }

  /** Takes the step to a status if the connector still has the expected status. */
  async #mark({ tenant_id, connector_id }: ConnectorRow, state: 'ENABLED' | 'ERROR'): Promise<void> {
    const { from, action } = STEP_TO[state];
    const steps = connectorSteps(this.#deps, serviceTaker(this.#deps.ids, 'service:connectors'), tenant_id);
    try {
      const changed = await steps.take(connector_id, ({ status }) => (status === from ? action : null));
      const running = this.#running.get(connector_id);
      if (running) running.connector = changed;
    } catch (error) {
      // Deleted meanwhile.
      if (!(error instanceof Problem) || error.code !== 'NOT_FOUND') throw error;
    }
  }

  async #stop(one: Running): Promise<void> {
    const { connector_id } = one.connector;
    if (!this.#running.delete(connector_id)) return;
    await one.runner.stop();
    one.ends.abort();
    const note = one.journal.take();
    if (note) await this.#deps.runs.note(one.lease, note);
    await this.#deps.runs.release(one.lease);
  }
}

/** The step that leads to a status, and its start status. */
const STEP_TO = { ERROR: { from: 'ENABLED', action: 'fail' }, ENABLED: { from: 'ERROR', action: 'recover' } } as const;

/** The settings that a runner was opened with: a change reopens it. */
const signatureOf = ({ source_system, config, wrapped_secrets }: ConnectorRow): string =>
  JSON.stringify([source_system, config, wrapped_secrets]);

const isStill = (one: Running, connector: ConnectorRow | undefined): boolean =>
  connector !== undefined && signatureOf(connector) === one.signature;

const failureOf = (error: unknown): ConnectorFailure =>
  error instanceof ConnectorFailure ? error : new ConnectorFailure('INTERNAL', 'The connector could not start.');
