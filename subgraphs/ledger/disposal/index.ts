export { disposalSubject } from './domain.js';
export { factsOfDisposals, provenDisposal } from './proven-disposals.js';
export { disposalArea } from './wiring.js';
