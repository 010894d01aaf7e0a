export { personOf, phoneEndKeys } from './keys.js';
export { type Demographics, NOTHING_KNOWN } from './member.js';
export { linksNow, type MergeLinks, peopleIn, survivorOf } from './merges.js';
