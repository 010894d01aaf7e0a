import { callerOver } from '../gateway/caller.js';
import { remoteKeyAuthority } from '../gateway/ports/key-authority.js';
import { withMemberTokens } from '../gateway/ports/member-tokens.js';
import { remoteSigningKeys, servicePorts } from '../gateway/ports/service-ports.js';
import { remoteTenantDirectory } from '../gateway/ports/tenant-directory.js';
import { httpDataSources } from '../gateway/remote/sources.js';
import { subgraphClient } from '../gateway/subgraph-client.js';
import type { SubgraphSource, SubgraphSources } from '../gateway/subgraph-source.js';
import { internalContext } from '../shared/auth/context.js';
import { InternalTokens } from '../shared/auth/internal-token.js';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { ServicePorts } from '../shared/contracts/deps.js';
import type { SigningKeys } from '../shared/contracts/signing-keys.js';
import type { KeyAuthority, TenantDirectory } from '../shared/contracts/tenants.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { systemRandomness, ulidIds } from '../shared/ids/ids.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Closing } from './closing.js';
import type { Checked } from './health.js';
import { EXISTING_SUBGRAPHS } from './subgraph-builders.js';

/** Access to the other processes of the deployment. */
interface Elsewhere extends ServicePorts {
  readonly tokens: InternalTokens;
  /** Subgraphs by name; a process adds the one that it serves. */
  readonly sources: Map<SubgraphName, SubgraphSource>;
  readonly keys: KeyAuthority;
  readonly tenants: TenantDirectory;
  readonly signingKeys: SigningKeys;
}

/** Refuses a start without the settings that all processes share: one process could not read what another encrypts. */
export function refuseUnshared(config: Config): void {
  const missing = [
    ...(config.mongodbUri === null ? ['MONGODB_URI'] : []),
    ...(config.masterKeyHex === null ? ['SERVICE_MASTER_KEY'] : []),
    ...(config.internalSecret === null ? ['SERVICE_INTERNAL_SECRET'] : []),
  ];
  if (missing.length === 0) return;
  throw new StartRefused(`SERVICE_MODE=${config.mode} needs ${missing.join(', ')}: the same in every process`);
}

/**
 * Connects to the subgraphs of other processes.
 *
 * @param needed subgraphs that must have an address
 * @throws StartRefused when one has none
 */
export function reachOthers(
  config: Config,
  needed: readonly SubgraphName[],
  deps: { readonly clock: Clock; readonly logger: Logger },
  closing: Closing,
): Elsewhere {
  const { internalSecret, subgraphUrls, mode } = config;
  const without = needed.filter((name) => !subgraphUrls.has(name));
  if (internalSecret === null) throw new StartRefused(`SERVICE_MODE=${mode} needs SERVICE_INTERNAL_SECRET`);
  if (without.length > 0) {
    throw new StartRefused(
      `SERVICE_MODE=${mode} needs the addresses of ${without.join(', ')} in SERVICE_SUBGRAPH_URLS`,
    );
  }
  const tokens = new InternalTokens(internalSecret, deps.clock);
  const remote = httpDataSources(subgraphUrls, { ...deps, tokens, timeoutMs: config.subgraphTimeoutMs });
  closing.add(() => Promise.all([...remote.values()].map((source) => source.close())));
  const sources = new Map<SubgraphName, SubgraphSource>(remote);
  const call = callerOver(sources, mode);
  const ids = ulidIds(() => deps.clock.nowMs(), systemRandomness());
  return {
    ...servicePorts(call, ids),
    tokens,
    sources,
    keys: withMemberTokens(remoteKeyAuthority(call, deps.clock), call),
    tenants: remoteTenantDirectory(call, deps.clock),
    signingKeys: remoteSigningKeys(call),
  };
}

/** Health checks of the subgraphs in other processes. */
export const remoteHealth = (sources: SubgraphSources, caller: string): readonly Checked[] =>
  EXISTING_SUBGRAPHS.map((name) => ({
    name,
    cause: 'the subgraph does not answer',
    health: async () => {
      await subgraphClient(sources, name).run('{ __typename }', {}, internalContext(null, caller));
    },
  }));
