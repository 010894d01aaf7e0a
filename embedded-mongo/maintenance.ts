import { BsonDate, BsonDoc } from './bson/value.js';
import type { Collection } from './catalog/collection.js';
import type { Index } from './catalog/index-definition.js';
import type { ServerContext } from './commands/command.js';
import { deleteMatching } from './commands/modify.js';
import { clearOrphans } from './txn/clear-orphans.js';

const cursorSweepMs = 60_000;

/** Work the server does on its own: expired documents, leftovers of dropped collections, idle cursors. */
export class Maintenance {
  private readonly timers: NodeJS.Timeout[] = [];

  constructor(
    private readonly context: ServerContext,
    private readonly ttlIntervalMs: number,
  ) {}

  start(): void {
    this.every(this.ttlIntervalMs, () => this.removeExpired());
    this.every(cursorSweepMs, async () => this.context.cursors.closeIdle());
    this.context.inBackground(clearOrphans(this.context));
  }

  stop(): void {
    for (const timer of this.timers) clearInterval(timer);
  }

  private every(intervalMs: number, work: () => Promise<void>): void {
    let running = false;
    const tick = () => {
      if (running) return;
      running = true;
      const finished = work().finally(() => {
        running = false;
      });
      this.context.inBackground(finished);
    };
    this.timers.push(setInterval(tick, intervalMs).unref());
  }

  private async removeExpired(): Promise<void> {
    for (const collection of this.context.catalog.all()) {
      for (const index of collection.readyIndexes) {
        if (index.spec.expireAfterSeconds !== undefined)
          await this.expire(collection, index, index.spec.expireAfterSeconds);
      }
    }
  }

  /** Dates only: a field of another type, or none, never expires (MongoDB manual, "TTL Indexes"). */
  private async expire(collection: Collection, index: Index, afterSeconds: number): Promise<void> {
    const [field] = index.fields;
    if (!field) return;
    const expired = BsonDate.fromMs(this.context.system.nowMs() - afterSeconds * 1_000);
    const filter = BsonDoc.of({ [field.path]: { $lte: expired } });
    const query = { filter, sort: undefined, hint: index.name, skip: 0, limit: undefined };
    await this.context.writes.runSteps(() => deleteMatching(this.context, collection, query));
  }
}
