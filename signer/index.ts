/** The door of the signer: joining one, serving one, and the local commands over its folder. */
export { originParts } from './domain/judge-checkpoint.js';
export { acceptIncarnation } from './folder/accepted.js';
export { type JoinedSigner, type JoinOptions, joinSigner } from './join.js';
export { type ServedSigner, serveSigner } from './serve.js';
