import { type Case, record } from './case-kinds.js';
import { SAME } from './world.js';

/** Nodes of A's are none to B, at either end of a path. */
export const GRAPH_CASES: Readonly<Record<string, readonly Case[]>> = {
  'GET /v1/graph/neighbors': [
    record('event', null, { asks: (id) => `node=event:${id}` }),
    record('document', null, { asks: (id) => `node=document:${id}&depth=2` }),
  ],
  'GET /v1/graph/subgraph': [record('bundle', null, { asks: (id) => `roots=bundle:${id}&depth=4` })],
  'GET /v1/graph/paths': [
    record('event', null, { asks: (id) => `from=event:${id}&to=member:${SAME.member}` }),
    record('event', null, { asks: (id) => `from=member:${SAME.member}&to=event:${id}` }),
  ],
  'GET /v1/graph/export': [{ kind: 'own' }],
};
