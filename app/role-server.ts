import { buildRoleServer, type GraphDoor } from '../gateway/subgraph-server/server.js';
import type { Config } from '../shared/config/config.js';
import type { Figure } from '../shared/telemetry/figures.js';
import type { JobsSource } from '../shared/telemetry/job-metrics.js';
import type { Logger } from '../shared/telemetry/logger.js';
import { type MetricGauge, prometheusMetrics, type QueueDepth } from '../shared/telemetry/metrics.js';
import type { Closing } from './closing.js';
import { type Checked, healthOf, lifecycleCheck } from './health.js';
import type { Lifecycle } from './lifecycle.js';
import { listenOn, urlOf } from './listen.js';
import { sendMetrics } from './telemetry/start-telemetry.js';

interface RoleServerParts {
  readonly config: Config;
  readonly logger: Logger;
  readonly lifecycle: Lifecycle;
  /** Called at each check: parts appear while the process starts. */
  readonly parts: () => readonly Checked[];
  readonly graph?: GraphDoor;
  /** Lengths of the queues in this process. */
  readonly queues?: () => readonly QueueDepth[];
  readonly gauges?: readonly MetricGauge[];
  /** Counters of its parts. */
  readonly figures?: () => readonly Figure[];
  /** Background work of this process. */
  readonly jobs?: JobsSource;
}

/**
 * Serves health, and a subgraph if there is one, from the beginning of a start.
 *
 * @returns the address that it listens on
 */
export async function serveRole(
  { config, logger, lifecycle, parts, graph, queues, gauges = [], figures, jobs }: RoleServerParts,
  closing: Closing,
): Promise<string> {
  const metrics = prometheusMetrics();
  closing.add(async () => metrics.stop());
  if (queues) metrics.queues(queues);
  for (const { name, help, read } of gauges) metrics.gauge(name, help, read);
  if (figures) metrics.figures(figures);
  if (jobs) metrics.jobs(jobs);
  sendMetrics(() => metrics.families());
  const server = buildRoleServer({
    logger,
    health: () => healthOf(parts(), logger),
    ready: () => healthOf([lifecycleCheck(lifecycle), ...parts()], logger),
    metrics: () => metrics.text(),
    ...(graph ? { graph } : {}),
  });
  lifecycle.watch(server.server);
  closing.add(() => server.close());
  await server.ready();
  await listenOn(server.server, config);
  return urlOf(server.server);
}
