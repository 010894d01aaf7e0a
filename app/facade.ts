import { AnalystEndpoint } from '../gateway/analyst.js';
import { createExecutor } from '../gateway/executor.js';
import type { SubgraphSources } from '../gateway/subgraph-source.js';
import { readSupergraph } from '../gateway/supergraph-file.js';
import { readContract } from '../rest-facade/contract.js';
import { routeOperations } from '../rest-facade/operations.js';
import { buildFacade } from '../rest-facade/server.js';
import type { SubgraphDeps } from '../shared/contracts/deps.js';
import type { KeyAuthority } from '../shared/contracts/tenants.js';
import type { Closing } from './closing.js';
import { type Checked, healthOf } from './health.js';
import { listenOn } from './listen.js';
import { repositoryFile } from './repository.js';

export interface FacadeParts {
  readonly deps: SubgraphDeps;
  readonly keys: KeyAuthority;
  readonly sources: SubgraphSources;
  readonly health: readonly Checked[];
}

/** Loads the supergraph over `sources`, and serves `/v1` and `/graphql`. @returns where it listens. @throws StartRefused */
export async function serveFacade({ deps, keys, sources, health }: FacadeParts, closing: Closing): Promise<string> {
  const { config, logger } = deps;
  const contract = await readContract(repositoryFile('rest-facade/contract.json'));
  const executor = await createExecutor({
    supergraphSdl: await readSupergraph(repositoryFile('gateway/supergraph.graphql')),
    operations: routeOperations(contract.document),
    dataSources: sources,
    logger,
  });
  closing.add(() => executor.stop());
  const analysts = new AnalystEndpoint(executor);
  const facade = buildFacade({
    ...deps,
    keys,
    contract,
    run: (name, variables, context) => executor.run(name, variables, context),
    graphql: (request, context) => analysts.answer(request, context),
    health: () => healthOf(health, logger),
  });
  closing.add(() => facade.close());
  return listenOn(facade, config);
}
