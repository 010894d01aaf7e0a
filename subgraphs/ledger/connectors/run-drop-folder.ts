import type { Clock } from '../../../shared/clock/clock.js';
import { repeat } from '../../../shared/clock/timers.js';
import type { Ids } from '../../../shared/ids/ids.js';
import { type BodyDeps, type TakenBody, takeBody } from './body.js';
import type { DropFolderConfig } from './domain/kinds.js';
import {
  type ClaimedFile,
  ConnectorFailure,
  type ConnectorLimits,
  type DropFolder,
  type OpenDropFolder,
  type SeenFile,
} from './ports.js';
import type { ConnectorRunner, RunnerContext } from './runner.js';

export interface DropDeps {
  readonly bodies: BodyDeps;
  readonly openDropFolder: OpenDropFolder;
  readonly limits: ConnectorLimits;
  readonly clock: Clock;
  readonly ids: Ids;
}

const SECOND_MS = 1_000;
const ULID_FROM = 4;

/** File extensions of acknowledgements by format, which senders' systems expect. */
const EXTENSIONS: Readonly<Record<string, string>> = {
  'application/edi-x12': 'ack.edi',
  'application/hl7-v2': 'ack.hl7',
  'application/fhir+json': 'ack.json',
  'application/x-ncpdp': 'ack.ncpdp',
  'application/xml': 'ack.xml',
};

/** Opens the folder of a connector. @throws ConnectorFailure */
export function dropFolderOf(
  { openDropFolder, limits }: Pick<DropDeps, 'openDropFolder' | 'limits'>,
  tenantId: string,
  { folder }: DropFolderConfig,
): Promise<DropFolder> {
  if (limits.dropDir === null) {
    throw new ConnectorFailure('NOT_CONFIGURED', 'This process has no drop folder (SERVICE_DROP_DIR).');
  }
  return openDropFolder({ base: limits.dropDir, tenantId, folder });
}

/**
 * Scans a folder at intervals. Claims each file by a rename, ingests it, writes the answer to out/ and moves the file
 * on. Finishes files that a crash left claimed first; events already in the ledger are not added again.
 *
 * @throws ConnectorFailure if the folders are not usable.
 */
export async function runDrop(deps: DropDeps, context: RunnerContext<DropFolderConfig>): Promise<ConnectorRunner> {
  const { connector, config, journal, holds } = context;
  const folder = await dropFolderOf(deps, connector.tenant_id, config);
  const drop = new Drop(deps, context, folder);
  const onError = (error: unknown): void => {
    journal.fails(
      error instanceof ConnectorFailure ? error : new ConnectorFailure('UNAVAILABLE', 'A file could not be ingested.'),
    );
  };
  const passes = repeat(
    (config.poll_seconds ?? 5) * SECOND_MS,
    async () => {
      if (!holds()) return;
      await drop.pass();
      journal.works();
    },
    onError,
  );
  // Finish the files of an earlier process at once.
  const first = drop.resume().catch(onError);
  return {
    stop: async () => {
      drop.stop();
      await Promise.all([first, passes.stop()]);
    },
  };
}

class Drop {
  readonly #deps: DropDeps;
  readonly #context: RunnerContext<DropFolderConfig>;
  readonly #folder: DropFolder;
  /** When each file was first seen in its current state. */
  #seen = new Map<string, SeenFile & { readonly sinceMs: number }>();
  #stopping = false;
  #working: Promise<void> = Promise.resolve();

  constructor(deps: DropDeps, context: RunnerContext<DropFolderConfig>, folder: DropFolder) {
    this.#deps = deps;
    this.#context = context;
    this.#folder = folder;
  }

  stop(): void {
    this.#stopping = true;
  }

  /** Finishes files that were claimed earlier. */
  resume(): Promise<void> {
    const work = this.#working.then(async () => {
      for (const file of await this.#folder.unfinished()) {
        if (this.#isOver()) return;
        await this.#process(file);
      }
    });
    this.#working = work.catch(() => undefined);
    return work;
  }

  /** Takes every file that no longer changes. */
  async pass(): Promise<void> {
    // Unfinished files of an earlier pass come first.
    await this.resume();
    for (const name of this.#rested(await this.#folder.list())) {
      if (this.#isOver()) return;
      const file = await this.#folder.claim(name, this.#deps.ids.next('work').slice(ULID_FROM));
      if (file) await this.#process(file);
    }
  }

  #isOver(): boolean {
    return this.#stopping || !this.#context.holds();
  }

  /** Files with the same size and time for the connector's settle time. */
  #rested(files: readonly SeenFile[]): string[] {
    const nowMs = this.#deps.clock.monotonicMs();
    const stableMs = (this.#context.config.stable_seconds ?? 5) * SECOND_MS;
    const seen = new Map<string, SeenFile & { readonly sinceMs: number }>();
    const rested: string[] = [];
    for (const file of files) {
      const before = this.#seen.get(file.name);
      const same = before?.sizeBytes === file.sizeBytes && before.modifiedMs === file.modifiedMs;
      const sinceMs = same ? before.sinceMs : nowMs;
      seen.set(file.name, { ...file, sinceMs });
      if (nowMs - sinceMs >= stableMs) rested.push(file.name);
    }
    this.#seen = seen;
    return rested;
  }

  /** @throws errors that are worth a retry: the file stays claimed for the next pass. */
  async #process(file: ClaimedFile): Promise<void> {
    const { connector, config, journal } = this.#context;
    const strict = config.strict === true;
    const taken = await takeBody(this.#deps.bodies, connector, file.read(), { strict });
    await this.#answer(file, taken);
    const { answer, trouble } = taken;
    const holdsSomething = answer !== null && answer.accepted + answer.duplicated > 0;
    const isEmpty = answer !== null && answer.rejected === 0;
    await this.#folder.finish(file, holdsSomething || isEmpty ? 'done' : 'failed');
    journal.count(taken.counts);
    if (trouble) journal.trouble(trouble);
  }

  async #answer(file: ClaimedFile, { answer, refusal }: TakenBody): Promise<void> {
    if (refusal) await this.#folder.writeAnswer(file, 'error.json', `${JSON.stringify(refusal)}\n`);
    if (this.#context.config.acknowledge === false || !answer?.acknowledgement) return;
    const { media_type, content } = answer.acknowledgement;
    await this.#folder.writeAnswer(file, EXTENSIONS[media_type] ?? 'ack.txt', content);
  }
}
