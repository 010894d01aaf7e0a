import { systemClock } from '../../shared/clock/clock.js';
import type { Config } from '../../shared/config/config.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import type { MetricFamily } from '../../shared/telemetry/metric-families.js';
import { makeSpansWith } from '../../shared/telemetry/spans.js';
import type { Closing } from '../closing.js';

let send: ((families: () => Promise<readonly MetricFamily[]>) => void) | null = null;

/** Sends the metrics of this process at each interval; does nothing where no collector is set. */
export const sendMetrics = (families: () => Promise<readonly MetricFamily[]>): void => send?.(families);

/**
 * Turns telemetry on where the operator has set a collector, before anything is opened that makes spans. Without one no
 * library of it is loaded.
 */
export async function startTelemetry(
  { otlp, mode }: Pick<Config, 'otlp' | 'mode'>,
  logger: Logger,
  closing: Closing,
): Promise<void> {
  if (otlp === null) return;
  const { openTelemetry } = await import('./open-telemetry.js');
  const telemetry = openTelemetry(otlp, { logger, mode, nowMs: () => systemClock.nowMs() });
  makeSpansWith(telemetry.spans);
  send = telemetry.metrics;
  closing.add(async () => {
    makeSpansWith(null);
    send = null;
    await telemetry.stop();
  });
}
