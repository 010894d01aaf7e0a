import type { Clock } from '../../../../shared/clock/clock.js';
import type { Logger } from '../../../../shared/telemetry/logger.js';
import type { Cosigned, CosignRequest, Witnesses } from '../ports/checkpoint-sinks.js';
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
  readonly #pausedUntilMs = new Map<WitnessAddress, number>();

  constructor(deps: QuorumDeps, witnesses: readonly WitnessAddress[], quorum: number) {
    this.#deps = deps;
    this.#witnesses = witnesses;
    this.#quorum = quorum;
  }

  get names(): readonly string[] {
    return this.#witnesses.map(({ key }) => key.name);
  }

  async cosign(request: CosignRequest): Promise<Cosigned> {
    const nowMs = this.#deps.clock.monotonicMs();
    const asked = this.#witnesses.filter((witness) => nowMs >= (this.#pausedUntilMs.get(witness) ?? 0));
    const answers = await Promise.all(asked.map((witness) => this.#askOne(witness, request)));
    const signatures = answers.flatMap((answer) => (answer.kind === 'cosigned' ? [answer.signature] : []));
    const ahead = answers.flatMap((answer, i) =>
      answer.kind === 'ahead' ? [{ witness: asked[i]?.key.name ?? '', size: answer.size }] : [],
    );
    return { signatures, ahead, short: signatures.length < this.#quorum };
  }

  async #askOne(witness: WitnessAddress, request: CosignRequest): Promise<WitnessAnswer> {
    const { ask = askWitness, clock, logger } = this.#deps;
    const key = `${witness.key.name} ${request.origin}`;
    const answer = await ask(witness, request, this.#cosignedSizes.get(key) ?? request.likelySize);
    if (answer.kind === 'cosigned') {
      if (this.#cosignedSizes.size >= MAX_ORIGINS) this.#cosignedSizes.clear();
      this.#cosignedSizes.set(key, request.size);
      return answer;
    }
    this.#cosignedSizes.delete(key);
    const why = answer.kind === 'failed' ? answer.why : 'AHEAD';
    logger.warn({ witness: witness.key.name, origin: request.origin, why }, 'a witness did not cosign');
    if (answer.kind === 'failed') this.#pausedUntilMs.set(witness, clock.monotonicMs() + PAUSE_MS);
    return answer;
  }
}
