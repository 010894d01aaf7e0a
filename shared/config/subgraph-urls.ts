import { z } from 'zod';
import { isSubgraphName, type SubgraphName } from '../graph/subgraph-names.js';

/** Where each subgraph is reached in distributed roles; a name given twice has two processes. */
export type SubgraphUrls = ReadonlyMap<SubgraphName, readonly string[]>;

/** `ledger=http://ledger-1:8080,ledger=http://ledger-2:8080,admin=http://admin:8080` */
export const subgraphUrls = z.string().transform((text, context): SubgraphUrls => {
  const urls = new Map<SubgraphName, string[]>();
  for (const part of text.split(',').filter((piece) => piece.trim() !== '')) {
    const [, name = '', url = ''] = /^\s*([a-z-]+)=(https?:\/\/[^\s/?#@]+)\/?\s*$/.exec(part) ?? [];
    if (!isSubgraphName(name)) {
      context.addIssue({ code: 'custom', message: 'name=http://host:port pairs of subgraphs, separated by commas' });
      return z.NEVER;
    }
    urls.set(name, [...(urls.get(name) ?? []), url]);
  }
  return urls;
});
