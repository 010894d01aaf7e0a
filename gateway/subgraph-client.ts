import type { RequestContext } from '../shared/auth/context.js';
import { problem } from '../shared/errors/problem.js';
import type { SubgraphName } from '../shared/graph/subgraph-names.js';
import { problemOf } from './errors.js';
import type { SubgraphSources } from './subgraph-source.js';

/** Root fields by name, as the subgraph answered them. */
type RootFields = Readonly<Record<string, unknown>>;

/** One subgraph asked directly, past the supergraph: how ports reach fields that no client may see. */
interface SubgraphClient {
  /** @throws Problem: the first error of the answer, or UNAVAILABLE when the subgraph cannot be reached. */
  run(document: string, variables: RootFields, context: RequestContext): Promise<RootFields>;
}

/** @param sources looked into at each call: a port may be made before the subgraph that it asks. */
export function subgraphClient(sources: SubgraphSources, name: SubgraphName): SubgraphClient {
  return {
    run: async (document, variables, context) => {
      const source = sources.get(name);
      if (!source) throw problem('UNAVAILABLE', { internal: `the subgraph ${name} does not run` });
      const { data, errors } = await source.fetch(document, variables, context);
      if (errors?.[0]) throw problemOf(errors[0]);
      if (!data) throw problem('INTERNAL', { internal: `the subgraph ${name} answered no data` });
      return data;
    },
  };
}
