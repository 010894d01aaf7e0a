import type { Clock } from '../../../../shared/clock/clock.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import type { Contradiction, Cosigned, CosignRequest, Witnesses } from '../ports/checkpoint-sinks.js';
import { askWitness, type WitnessAddress, type WitnessAnswer } from './witness-client.js';

/** Time in ms for which a failed witness is skipped: it must not delay every checkpoint. */
const PAUSE_MS = 60_000;
/** Maximum number of origins with a stored last cosigned size; a dropped one costs one more request. */
const MAX_ORIGINS = 10_000;

interface QuorumDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly ask?: typeof askWitness;
}

/** Asks n witnesses at once and reports whether k have cosigned. */
export class WitnessQuorum implements Witnesses {
  readonly #deps: QuorumDeps;
  readonly #witnesses: readonly WitnessAddress[];
  readonly #quorum: number;
  readonly #cosignedSizes = new Map<string, number>();
  /** By witness, and by witness and origin: one that does not know a log cosigns others. */
  readonly #pausedUntilMs = new Map<string, number>();
  /** Witnesses that agreed with the last note of an origin, since this process started. */
  readonly #compared = new Set<string>();

  constructor(deps: QuorumDeps, witnesses: readonly WitnessAddress[], quorum: number) {
    this.#deps = deps;
    this.#witnesses = witnesses;
    this.#quorum = quorum;
  }

  get names(): readonly string[] {
    return this.#witnesses.map(({ key }) => key.name);
  }

  async cosign(request: CosignRequest): Promise<Cosigned> {
    const answers = await this.#ask(this.#witnesses, request);
    const signatures = answers.flatMap(({ answer }) => (answer.kind === 'cosigned' ? [answer.signature] : []));
    const contradictions = answers.flatMap(contradictionOf);
    return { signatures, contradictions, short: signatures.length < this.#quorum };
  }

  async compare(last: CosignRequest): Promise<readonly Contradiction[]> {
    const pair = (witness: WitnessAddress): string => pairOf(witness, last.origin);
    const answers = await this.#ask(
      this.#witnesses.filter((witness) => !this.#compared.has(pair(witness))),
      last,
    );
    if (this.#compared.size >= MAX_ORIGINS) this.#compared.clear();
    for (const { witness, answer } of answers) if (answer.kind === 'cosigned') this.#compared.add(pair(witness));
    return answers.flatMap(contradictionOf);
  }

  async #ask(witnesses: readonly WitnessAddress[], request: CosignRequest): Promise<readonly Asked[]> {
    const nowMs = this.#deps.clock.monotonicMs();
    const isPaused = (name: string): boolean => nowMs < (this.#pausedUntilMs.get(name) ?? 0);
    const asked = witnesses.filter(
      (witness) => !isPaused(witness.key.name) && !isPaused(pairOf(witness, request.origin)),
    );
    return Promise.all(asked.map(async (witness) => ({ witness, answer: await this.#askOne(witness, request) })));
  }

  async #askOne(witness: WitnessAddress, request: CosignRequest): Promise<WitnessAnswer> {
    const { ask = askWitness, logger } = this.#deps;
    const key = pairOf(witness, request.origin);
    const answer = await ask(witness, request, this.#cosignedSizes.get(key) ?? request.likelySize);
    if (answer.kind === 'cosigned') {
      if (this.#cosignedSizes.size >= MAX_ORIGINS) this.#cosignedSizes.clear();
      this.#cosignedSizes.set(key, request.size);
      return answer;
    }
    this.#cosignedSizes.delete(key);
    const why = answer.kind === 'failed' ? answer.why : answer.kind.toUpperCase();
    logger.warn({ witness: witness.key.name, origin: request.origin, why }, 'a witness did not cosign');
    if (answer.kind === 'failed') this.#pause(/^STATUS_4/.test(answer.why) ? key : witness.key.name);
    return answer;
  }

  #pause(name: string): void {
    if (this.#pausedUntilMs.size >= MAX_ORIGINS) this.#pausedUntilMs.clear();
    this.#pausedUntilMs.set(name, this.#deps.clock.monotonicMs() + PAUSE_MS);
  }
}

const pairOf = ({ key }: WitnessAddress, origin: string): string => `${key.name} ${origin}`;

interface Asked {
  readonly witness: WitnessAddress;
  readonly answer: WitnessAnswer;
}

function contradictionOf({ witness, answer }: Asked): readonly Contradiction[] {
  const { name } = witness.key;
  if (answer.kind === 'ahead') return [{ witness: name, size: answer.size }];
  return answer.kind === 'disagrees' ? [{ witness: name, size: null }] : [];
}
