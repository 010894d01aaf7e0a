import type { Agenda } from 'agenda';
import type { Collection, Db } from 'mongodb';
import { repeat, within } from '../clock/timers.js';
import type { BackgroundWork } from '../graph/subgraph.js';
import { describeUnexpected } from '../telemetry/describe-error.js';
import type { Logger } from '../telemetry/logger.js';
import { inSpan } from '../telemetry/spans.js';
import type { RecurringSpec } from './jobs.js';

// Agenda keeps the alarms: when each is due, who has it, how it went. Its processor is not used, we look and ring
// ourselves: behind every run it leaves a timer of half the lock's lifetime that nothing can stop (JobProcessor,
// checkIfJobIsStillAlive), and a process that has stopped would live on for it. Agenda goes by the machine's time, and
// so does this file.

export const ALARMS = 'alarms';
const LOOK_MS = 1_000;
/** A crashed process keeps its alarm this long; a run that takes longer renews at a third. */
const LOCK_LIFETIME_MS = 15_000;
/** Time that a stop waits for running alarms after it aborts them. */
const DRAIN_MS = 10_000;

/** An alarm as Agenda stores it. */
export interface AlarmDocument {
  readonly name: string;
  readonly data?: { readonly description?: string } | null;
  readonly repeatInterval?: number;
  readonly lockedAt: Date | null;
  readonly nextRunAt: Date | null;
  readonly lastRunAt?: Date | null;
  readonly lastFinishedAt?: Date | null;
  readonly failedAt?: Date | null;
  readonly failCount?: number | null;
  readonly failReason?: string | null;
}

interface AlarmClockDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly owner: string;
}

/** Recurring work: each occurrence in one process of those that run the clock. */
export class AlarmClock {
  readonly #deps: AlarmClockDeps;
  readonly #specs: ReadonlyMap<string, RecurringSpec>;
  readonly #alarms: Collection<AlarmDocument>;
  readonly #stopping = new AbortController();
  readonly #running = new Map<string, Promise<void>>();
  /** The drain is over: what still runs has no part in the service any more. */
  #isLeft = false;

  constructor(deps: AlarmClockDeps, specs: readonly RecurringSpec[]) {
    this.#deps = deps;
    this.#specs = new Map(specs.map((spec) => [spec.name, spec]));
    this.#alarms = deps.db.collection<AlarmDocument>(ALARMS);
  }

  /** Looks for the first time after a second: what serves requests is loaded before. */
  start(): BackgroundWork {
    const report = (error: unknown): void =>
      this.#deps.logger.error(describeUnexpected(error), 'the alarm clock could not look');
    let agenda: Agenda | undefined;
    const look = async (): Promise<void> => {
      agenda ??= await this.#wind();
      await this.#look(agenda);
    };
    const looking = repeat(LOOK_MS, look, report);
    return {
      stop: async () => {
        this.#stopping.abort();
        await looking.stop();
        if (!(await within(DRAIN_MS, Promise.all(this.#running.values())))) {
          this.#deps.logger.warn(
            { alarms: [...this.#running.keys()] },
            'recurring work is left to the end of its lock',
          );
        }
        this.#isLeft = true;
      },
    };
  }

  /** Loaded here: a process that runs no clock spends nothing on it. */
  async #wind(): Promise<Agenda> {
    const [{ Agenda }, { MongoJobRepository }] = await Promise.all([
      import('agenda'),
      import('@agendajs/mongo-backend'),
    ]);
    await this.#alarms.createIndex({ name: 1 }, { unique: true });
    const { db, owner } = this.#deps;
    const repository = new MongoJobRepository({ mongo: db, db: { collection: ALARMS }, ensureIndex: false });
    const backend = {
      name: 'MongoDB',
      repository,
      ownsConnection: false,
      connect: () => repository.connect(),
      disconnect: async () => {},
    };
    const agenda = new Agenda({ backend, name: owner, defaultLockLifetime: LOCK_LIFETIME_MS });
    for (const spec of this.#specs.values()) await this.#setAlarm(agenda, spec);
    return agenda;
  }

  /** A start keeps an existing alarm and its running holder; it changes only the interval. */
  async #setAlarm(agenda: Agenda, { name, description, everyMs, isFirstRunLater, run }: RecurringSpec): Promise<void> {
    agenda.define(name, async () => {
      try {
        await run(this.#stopping.signal);
      } catch (error) {
        const told = describeUnexpected(error);
        this.#deps.logger.error({ ...told, alarm: name }, 'recurring work failed');
        // Agenda stores the message: a class of error, never a text that may repeat stored data.
        throw new Error(told.error_name);
      }
    });
    const alarm = agenda.create(name, { description }).unique({ name }, { insertOnly: true });
    await alarm.repeatEvery(everyMs, { skipImmediate: isFirstRunLater === true }).save();
    await this.#alarms.updateOne({ name }, { $set: { repeatInterval: everyMs, 'data.description': description } });
  }

  /** One cheap look at all alarms; Agenda then decides, by one write, who has the one that is due. */
  async #look(agenda: Agenda): Promise<void> {
    const now = new Date();
    const deadline = new Date(now.getTime() - LOCK_LIFETIME_MS);
    const due = { $or: [{ lockedAt: null, nextRunAt: { $lte: now } }, { lockedAt: { $lte: deadline } }] };
    const found = await this.#alarms.find(due).project<{ name: string }>({ _id: 0, name: 1 }).toArray();
    for (const { name } of found) {
      if (this.#stopping.signal.aborted) return;
      if (!this.#specs.has(name) || this.#running.has(name)) continue;
      const job = await agenda.db.getNextJobToRun(name, now, deadline, now, { lastModifiedBy: this.#deps.owner });
      if (job) this.#ring(agenda, name, job);
    }
  }

  #ring(agenda: Agenda, name: string, attributes: Parameters<Agenda['db']['saveJobState']>[0]): void {
    const running = this.#run(agenda, attributes).finally(() => this.#running.delete(name));
    this.#running.set(name, running);
  }

  async #run(agenda: Agenda, attributes: Parameters<Agenda['db']['saveJobState']>[0]): Promise<void> {
    const { Job } = await import('agenda');
    const job = new Job(agenda, attributes, true);
    const report = (error: unknown): void =>
      this.#deps.logger.warn({ ...describeUnexpected(error), alarm: attributes.name }, 'an alarm was not renewed');
    // An abandoned run keeps no lock: the database closes next.
    const renew = async (): Promise<void> => (this.#isLeft ? undefined : job.touch());
    const renewing = repeat(LOCK_LIFETIME_MS / 3, renew, report);
    try {
      await inSpan({ name: `job ${attributes.name}` }, () => job.run());
    } catch (error) {
      this.#deps.logger.error({ ...describeUnexpected(error), alarm: attributes.name }, 'an alarm could not be kept');
    } finally {
      await renewing.stop();
    }
  }
}
