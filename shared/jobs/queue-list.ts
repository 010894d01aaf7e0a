import type { Collection, Db } from 'mongodb';
import type { LastRun } from './queue-counts.js';
import type { QueueSpec, WorkRow } from './work-queue.js';

/** A queue as any process may read of it, whether or not it works on it. */
export interface ListedQueue extends LastRun {
  readonly _id: string;
  readonly description: string;
  readonly collection: string;
}

/** The queues of the deployment: where their rows are, when they last ran. */
export class QueueList {
  readonly #queues: Collection<ListedQueue>;

  constructor(db: Db) {
    this.#queues = db.collection<ListedQueue>('job_queues', {
      writeConcern: { w: 1 },
      readConcern: { level: 'local' },
    });
  }

  async enter<Row extends WorkRow>({ name, description, collection }: QueueSpec<Row>): Promise<void> {
    await this.#queues.updateOne({ _id: name }, { $set: { description, collection } }, { upsert: true });
  }

  async note(name: string, news: LastRun): Promise<void> {
    await this.#queues.updateOne({ _id: name }, { $set: news });
  }

  all(): Promise<readonly ListedQueue[]> {
    return this.#queues.find().sort({ _id: 1 }).toArray();
  }
}
