import type { Composition } from './composition.js';

/** The committed files, by path from the repository's root. */
export const composedFiles = (
  composition: Composition,
): readonly { readonly path: string; readonly content: string }[] => [
  { path: 'gateway/supergraph.graphql', content: `${composition.supergraphSdl.trimEnd()}\n` },
  { path: 'rest-facade/contract.json', content: `${JSON.stringify(composition.contract, null, 2)}\n` },
];
