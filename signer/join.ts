import type { Clock } from '../shared/clock/clock.js';
import { delay, within } from '../shared/clock/timers.js';
import type { Randomness } from '../shared/ids/ids.js';
import {
  type SignedTree,
  type Signer,
  type SignerKeyPlace,
  type SignerStatus,
  SignerUnavailable,
  type SigningEvidence,
} from '../shared/signing/signer.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type ServedSigner, serveSigner } from './serve.js';
import { SignerClient } from './socket/client.js';
import { socketPathOf } from './socket/place.js';
import { type SignerChild, startSignerChild } from './start-child.js';

export interface JoinOptions {
  readonly folder: string;
  readonly masterKeyHex: string | null;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly logger: Logger;
  /**
   * What to start while no signer holds the folder: a child process, one inside this process, or nothing, because someone
   * else starts it.
   */
  readonly start: 'child' | 'inside' | 'never';
  readonly timeoutMs?: number;
  /** Where the signer shares its socket; null: in its folder. */
  readonly sharedSocket?: string | null;
}

/** A signer that this process may ask, in this process or another. */
export interface JoinedSigner extends Signer {
  close(): Promise<void>;
}

/** Joins the signer of a folder, and starts one if there is none. @throws StartRefused, SignerUnavailable */
export async function joinSigner(options: JoinOptions): Promise<JoinedSigner> {
  const joined = new Joined(options);
  await joined.start();
  return joined;
}

/** How long a signer that could not be started is left alone, in ms. */
const PAUSE_MS = 1_000;
const EXIT_NEWS_MS = 100;
const JOIN_ATTEMPTS = 20;
const JOIN_PAUSE_MS = 100;

class Joined implements JoinedSigner {
  readonly #options: JoinOptions;
  readonly #client: SignerClient;
  #served: ServedSigner | null = null;
  #child: SignerChild | null = null;
  #starting: Promise<void> | null = null;
  #failedMs = Number.NEGATIVE_INFINITY;
  #isClosed = false;
  /** The log names a signer that does not answer once. */
  #isLost = false;

  constructor(options: JoinOptions) {
    this.#options = options;
    this.#client = new SignerClient(options.sharedSocket ?? socketPathOf(options.folder), options.timeoutMs);
  }

  /** A service that was killed leaves a signer behind that ends in a moment: it still holds the folder. */
  async start(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.#start();
      try {
        await this.#client.status();
        return;
      } catch (error) {
        if (attempt === JOIN_ATTEMPTS || !(error instanceof SignerUnavailable)) throw error;
        await delay(JOIN_PAUSE_MS);
      }
    }
  }

  dataKey = (): Promise<Buffer> => this.#ask((signer) => signer.dataKey());
  createKey = (place: SignerKeyPlace): Promise<string> => this.#ask((signer) => signer.createKey(place));
  endKey = (keyId: string): Promise<void> => this.#ask((signer) => signer.endKey(keyId));
  sign = (keyId: string, message: Uint8Array, evidence: SigningEvidence): Promise<Buffer> =>
    this.#ask((signer) => signer.sign(keyId, message, evidence));
  lastSigned = (origin: string): Promise<SignedTree | null> => this.#ask((signer) => signer.lastSigned(origin));
  status = (): Promise<SignerStatus> => this.#ask((signer) => signer.status());

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#starting?.catch(() => undefined);
    await this.#served?.close();
    await this.#child?.stop();
  }

  async #ask<T>(question: (signer: Signer) => Promise<T>): Promise<T> {
    try {
      return this.#found(await question(this.#signer()));
    } catch (error) {
      if (!(error instanceof SignerUnavailable)) throw error;
      return this.#askAgain(question, error);
    }
  }

  async #askAgain<T>(question: (signer: Signer) => Promise<T>, first: SignerUnavailable): Promise<T> {
    try {
      if (!(await this.#revive())) throw first;
      return this.#found(await question(this.#signer()));
    } catch (error) {
      const isFirst = !this.#isLost;
      this.#isLost = true;
      if (isFirst)
        this.#options.logger.error(describeUnexpected(error), 'the signer does not answer: nothing is signed');
      throw error instanceof SignerUnavailable
        ? error
        : new SignerUnavailable('the signer cannot be started', { cause: error });
    }
  }

  #found<T>(answer: T): T {
    if (this.#isLost) this.#options.logger.info('the signer answers again');
    this.#isLost = false;
    return answer;
  }

  #signer(): Signer {
    const { engine } = this.#served ?? {};
    return engine?.isSound === true ? engine : this.#client;
  }

  /** @returns false if nothing was started: the signer lives and is slow, or is not ours to start */
  async #revive(): Promise<boolean> {
    const { start, clock } = this.#options;
    // A connection breaks a moment before the news of the child's end arrives.
    if (this.#child?.isAlive()) await within(EXIT_NEWS_MS, this.#child.exited);
    const isOurs = start !== 'never' && !this.#isClosed && this.#child?.isAlive() !== true;
    if (!isOurs || clock.monotonicMs() < this.#failedMs + PAUSE_MS) return false;
    this.#starting ??= this.#start()
      .catch((error: unknown) => {
        this.#failedMs = clock.monotonicMs();
        throw error;
      })
      .finally(() => {
        this.#starting = null;
      });
    await this.#starting;
    return true;
  }

  async #start(): Promise<void> {
    const { start, logger } = this.#options;
    if (start === 'child') this.#child = await startSignerChild(this.#options);
    if (start !== 'inside') return;
    await this.#served?.close().catch(() => undefined);
    this.#served = null;
    const report = (error: unknown): void => logger.error(describeUnexpected(error), 'the signer failed');
    this.#served = await serveSigner({ ...this.#options, report });
  }
}
