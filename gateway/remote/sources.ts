import type { InternalTokens } from '../../shared/auth/internal-token.js';
import type { Clock } from '../../shared/clock/clock.js';
import type { SubgraphUrls } from '../../shared/config/compound-values.js';
import type { SubgraphName } from '../../shared/graph/subgraph-names.js';
import type { Logger } from '../../shared/telemetry/logger.js';
import { HttpDataSource } from './http-data-source.js';

interface RemoteDeps {
  readonly tokens: InternalTokens;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly timeoutMs: number;
}

/** Data sources of subgraphs in other processes, by the addresses that the settings give. */
export const httpDataSources = (urls: SubgraphUrls, deps: RemoteDeps): ReadonlyMap<SubgraphName, HttpDataSource> =>
  new Map([...urls].map(([name, list]) => [name, new HttpDataSource({ ...deps, name, urls: list })]));
