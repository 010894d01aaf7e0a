import type { Figure } from '../../../shared/telemetry/figures.js';
import type { DeliveryAttempt } from '../domain/webhook-delivery.js';

/** Attempts of this process, for metrics. */
export class DeliveryFigures {
  readonly #attempts = new Map<string, number>();
  #seconds = 0;

  attempted({ status, error, duration_ms }: DeliveryAttempt): void {
    const result = status === undefined ? (error ?? 'none') : `${Math.floor(status / 100)}xx`;
    this.#attempts.set(result, (this.#attempts.get(result) ?? 0) + 1);
    this.#seconds += duration_ms / 1_000;
  }

  read(): readonly Figure[] {
    const attempts = [...this.#attempts].map(
      ([result, value]): Figure => ({
        name: 'webhook_attempts_total',
        help: 'Requests to receivers of webhooks by what came of them.',
        labels: { result },
        value,
      }),
    );
    const seconds: Figure = {
      name: 'webhook_attempt_seconds_total',
      help: 'Time that receivers of webhooks took.',
      labels: {},
      value: this.#seconds,
    };
    return [...attempts, seconds];
  }
}
