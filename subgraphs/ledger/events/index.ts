export { type ConsentedReader, consentViewOf } from './consented-events.js';
export { headerOf, recordOf } from './read-events.js';
export { eventsArea } from './wiring.js';
