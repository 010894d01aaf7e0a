import type { Subgraph } from '../shared/graph/subgraph.js';
import { describeUnexpected } from '../shared/telemetry/describe-error.js';
import type { Logger } from '../shared/telemetry/logger.js';

/** A part that can be asked whether it serves; its `health` throws with an internal text when not. */
export type Checked = Pick<Subgraph, 'health'> & { readonly name: string };

export interface HealthReport {
  readonly status: 'ok' | 'degraded';
  readonly checks: Readonly<Record<string, { readonly status: 'ok' | 'failed' }>>;
}

/** Asks every part; causes are logged, the report names parts and states alone. */
export async function healthOf(parts: readonly Checked[], logger: Logger): Promise<HealthReport> {
  const states = await Promise.all(
    parts.map(async (part) => {
      const failed = await part.health().then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failed !== undefined)
        logger.warn({ ...describeUnexpected(failed), subgraph: part.name }, 'a health check failed');
      return [part.name, { status: failed === undefined ? 'ok' : 'failed' }] as const;
    }),
  );
  const ok = states.every(([, check]) => check.status === 'ok');
  return { status: ok ? 'ok' : 'degraded', checks: Object.fromEntries(states) };
}
