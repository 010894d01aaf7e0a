import { exceptionDeskOver } from '../gateway/ports/exceptions.js';
import { remoteKeyAuthority } from '../gateway/ports/key-authority.js';
import { ledgerCountersOver } from '../gateway/ports/ledger-counters.js';
import { signingKeysOver } from '../gateway/ports/signing-keys.js';
import { systemLedgerOver } from '../gateway/ports/system-ledger.js';
import { remoteTenantDirectory } from '../gateway/ports/tenant-directory.js';
import { httpDataSources } from '../gateway/remote/sources.js';
import { subgraphClient } from '../gateway/subgraph-client.js';
import type { SubgraphSource, SubgraphSources } from '../gateway/subgraph-source.js';
import { internalContext } from '../shared/auth/context.js';
import { InternalTokens } from '../shared/auth/internal-token.js';
import type { Clock } from '../shared/clock/clock.js';
import type { Config } from '../shared/config/config.js';
import type { ExceptionDesk } from '../shared/contracts/exceptions.js';
import type { LedgerCounters } from '../shared/contracts/ledger-counters.js';
import type { SigningKeys } from '../shared/contracts/signing-keys.js';
import type { SystemLedger } from '../shared/contracts/system-ledger.js';
import type { KeyAuthority, TenantDirectory } from '../shared/contracts/tenants.js';
import { StartRefused } from '../shared/errors/start-refused.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import type { Logger } from '../shared/telemetry/logger.js';
import type { Closing } from './closing.js';
import type { Checked } from './health.js';
import { EXISTING_SUBGRAPHS } from './subgraph-builders.js';

/** The other processes of the deployment, as one process reaches them. */
export interface Elsewhere {
  readonly tokens: InternalTokens;
  /** By name; a process adds the subgraph that it serves itself. */
  readonly sources: Map<SubgraphName, SubgraphSource>;
  readonly keys: KeyAuthority;
  readonly tenants: TenantDirectory;
  readonly signingKeys: SigningKeys;
  readonly systemLedger: SystemLedger;
  readonly ledgerCounters: LedgerCounters;
  readonly exceptions: ExceptionDesk;
}

/** Every process of a deployment must share these; what one process would make for itself, the next could not read. */
export function refuseUnshared(config: Config): void {
  const missing = [
    ...(config.mongodbUri === null ? ['MONGODB_URI'] : []),
    ...(config.masterKeyHex === null ? ['SERVICE_MASTER_KEY'] : []),
    ...(config.internalSecret === null ? ['SERVICE_INTERNAL_SECRET'] : []),
  ];
  if (missing.length === 0) return;
  throw new StartRefused(`SERVICE_MODE=${config.mode} needs ${missing.join(', ')}: the same in every process`);
}

/** @param needed subgraphs that must have an address. @throws StartRefused */
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
  const admin = subgraphClient(sources, 'admin');
  const ledger = subgraphClient(sources, 'ledger');
  return {
    tokens,
    sources,
    keys: remoteKeyAuthority(admin, deps.clock, mode),
    tenants: remoteTenantDirectory(admin, deps.clock, mode),
    signingKeys: signingKeysOver(admin, mode),
    systemLedger: systemLedgerOver(ledger, mode),
    ledgerCounters: ledgerCountersOver(ledger, mode),
    exceptions: exceptionDeskOver(ledger, mode),
  };
}

/** Whether subgraphs in other processes answer. */
export const remoteHealth = (sources: SubgraphSources, caller: string): readonly Checked[] =>
  EXISTING_SUBGRAPHS.map((name) => ({
    name,
    cause: 'the subgraph does not answer',
    health: async () => {
      await subgraphClient(sources, name).run('{ __typename }', {}, internalContext(null, caller));
    },
  }));
