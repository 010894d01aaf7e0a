export { LINK_MACHINE, LINK_STATUSES, type LinkAction, type LinkStatus } from './states.js';
export { linkIdIn, linkToken } from './token.js';
