import { type Case, own, record } from './case-kinds.js';
import type { RecordKind } from './world.js';
import { SAME } from './world.js';

/** A's matter is none to B; nor is what A has to be put into a matter of B's. */
export function matterLinkCases(kind: string, linked?: RecordKind): Readonly<Record<string, readonly Case[]>> {
  const path = `/v1/legal-matters/{id}/${kind}/{ref}`;
  const ofMatter = record('matter', '/v1/legal-matters/{id}', { own: () => ({ ref: SAME.member }), body: {} });
  if (linked === undefined) {
    // A link contains the caller's own name: A's matter does not change.
    const ofName: Case = {
      kind: 'own',
      params: (a) => ({ id: a.ids.matter, ref: SAME.member }),
      body: {},
      readAt: (a) => `/v1/legal-matters/${a.ids.matter}`,
    };
    return { [`POST ${path}`]: [ofMatter, ofName], [`DELETE ${path}`]: [ofMatter, ofName] };
  }
  const ofLinked = record(linked, null, { param: 'ref', own: own('matter'), body: {} });
  return {
    [`POST ${path}`]: [ofMatter, ofLinked],
    // Removing an absent link changes nothing.
    [`DELETE ${path}`]: [ofMatter, { ...ofLinked, status: 200 }],
  };
}
