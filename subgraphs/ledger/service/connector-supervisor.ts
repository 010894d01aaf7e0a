import type { Clock } from '../../../shared/clock/clock.js';
import { repeat } from '../../../shared/clock/timers.js';
import type { TenantDirectory } from '../../../shared/contracts/tenants.js';
import type { MasterKey } from '../../../shared/crypto/master-key.js';
import { Problem } from '../../../shared/errors/problem.js';
import type { BackgroundWork } from '../../../shared/graph/subgraph.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { describeUnexpected } from '../../../shared/telemetry/describe-error.js';
import type { Logger } from '../../../shared/telemetry/logger.js';
import type { ConnectorConfig, ConnectorTransport } from '../domain/connector-kinds.js';
import { change } from './connector-change.js';
import { openConfig } from './connector-config.js';
import { type ConnectorRunner, RunJournal, type RunnerContext, retryMs } from './connector-runner.js';
import { runnerActor } from './connector-write.js';
import { ConnectorFailure } from './ports/connector-io.js';
import type { ConnectorRow, ConnectorRuns, ConnectorStore, RunLease } from './ports/connector-store.js';

export interface SupervisorDeps {
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
  readonly masterKey: MasterKey;
  readonly tenants: TenantDirectory;
  readonly connectors: ConnectorStore;
  readonly runs: ConnectorRuns;
  /** Names this process in leases. */
  readonly owner: string;
  /** How each transport is run; one that is not here needs nobody. */
  readonly runners: Readonly<Partial<Record<ConnectorTransport, (context: RunnerContext) => Promise<ConnectorRunner>>>>;
}

/** Connectors that were changed, leases that ended and counts are looked at this often. */
const LOOK_EVERY_MS = 1_000;
/** A process that dies keeps its connectors this long; renewed at every look. */
const LEASE_MS = 10_000;

interface Running {
  /** As it stands, but for what a runner was opened with. */
  connector: ConnectorRow;
  readonly signature: string;
  readonly lease: RunLease;
  readonly runner: ConnectorRunner;
  readonly journal: RunJournal;
  readonly ends: AbortController;
  readonly term: Term;
}

/** Until then the lease is surely ours. */
interface Term {
  untilMs: number;
}

/** Runs the connectors that this process holds, and takes up those that nobody holds. */
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
      this.#deps.logger.warn(describeUnexpected(error), 'connectors could not be looked after');
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

  /** Something has changed: looks at once, where this process runs connectors. */
  wake(): void {
    if (!this.#active) return;
    this.#look().catch((error: unknown) =>
      this.#deps.logger.warn(describeUnexpected(error), 'connectors could not be looked after'),
    );
  }

  /** One look at a time; what is asked for meanwhile comes after it. */
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
      for (const one of this.#running.values()) await this.#tell(one);
    } while (this.#again && this.#active);
  }

  /** Those of tenants that are active, by transports that somebody must run. */
  async #wanted(): Promise<readonly ConnectorRow[]> {
    const wanted: ConnectorRow[] = [];
    for (const connector of await this.#deps.connectors.toRun()) {
      if (!this.#deps.runners[connector.config['transport'] as ConnectorTransport]) continue;
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
        // Another holds it, or might by now: then nothing more is taken here.
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
      const runner = await this.#open(context);
      const signature = signatureOf(connector);
      const one = { connector, signature, lease, runner, journal, ends, term };
      this.#running.set(connector_id, one);
      await runs.note(lease, { retry_at: null, attempts: 0 });
    } catch (error) {
      await this.#failed(connector, lease, journal, { error, attempts: (run?.attempts ?? 0) + 1 });
    }
  }

  #open(context: RunnerContext<ConnectorConfig>): Promise<ConnectorRunner> {
    const run = this.#deps.runners[context.config.transport];
    if (!run) throw new Error('a connector that nobody runs was to be run');
    return run(context);
  }

  /** It could not be opened: tried again later, by whoever comes first. */
  async #failed(
    connector: ConnectorRow,
    lease: RunLease,
    journal: RunJournal,
    { error, attempts }: { readonly error: unknown; readonly attempts: number },
  ): Promise<void> {
    const failure = failureOf(error);
    if (!(error instanceof ConnectorFailure)) {
      this.#deps.logger.warn(describeUnexpected(error), 'a connector could not be opened');
    }
    journal.fails(failure);
    const retry_at = new Date(this.#deps.clock.nowMs() + retryMs(attempts));
    await this.#deps.runs.note(lease, { ...journal.take(), retry_at, attempts });
    await this.#deps.runs.release(lease);
    await this.#mark(connector, 'ERROR');
  }

  /** Writes what is new of a run; whether it fares well shows in the connector's status. */
  async #tell(one: Running): Promise<void> {
    const note = one.journal.take();
    if (note && !(await this.#deps.runs.note(one.lease, note))) await this.#stop(one);
    const state = one.journal.failure ? 'ERROR' : 'ENABLED';
    if (one.connector.status !== state) await this.#mark(one.connector, state);
  }

  /** The step that leads there, where the connector still stands where it stood. */
  async #mark({ tenant_id, connector_id }: ConnectorRow, state: 'ENABLED' | 'ERROR'): Promise<void> {
    const actor = runnerActor(this.#deps);
    const step =
      state === 'ERROR'
        ? ({ from: 'ENABLED', action: 'fail' } as const)
        : ({ from: 'ERROR', action: 'recover' } as const);
    const deps = { ...this.#deps, wake: () => undefined };
    try {
      const changed = await change(deps, tenant_id, connector_id, (standing) =>
        standing.status === step.from ? { actor, action: step.action, changes: {} } : null,
      );
      const running = this.#running.get(connector_id);
      if (running) running.connector = changed;
    } catch (error) {
      // It was deleted meanwhile.
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

/** What a runner was opened with: when it changes, it is opened again. */
const signatureOf = ({ source_system, config, wrapped_secrets }: ConnectorRow): string =>
  JSON.stringify([source_system, config, wrapped_secrets]);

const isStill = (one: Running, connector: ConnectorRow | undefined): boolean =>
  connector !== undefined && signatureOf(connector) === one.signature;

const failureOf = (error: unknown): ConnectorFailure =>
  error instanceof ConnectorFailure ? error : new ConnectorFailure('INTERNAL', 'The connector could not be opened.');
