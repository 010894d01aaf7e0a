export { type ConsentedReader, consentView, consentViewOf, openedItems } from './consented-events.js';
export { type EventSight, type EventView, hasKeys, headerOf, recorded, recordOf, viewsOfRows } from './read-events.js';
export { eventsArea } from './wiring.js';
