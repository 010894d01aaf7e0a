export { LINKS, mongoLinkStore } from './model.js';
export type { LinkStore } from './ports.js';
export { edgesOfEvents, type LinksOfEvent, linksOfEvent, linksOfEvents } from './read-links.js';
export { forgetEventLinks, linksArea } from './wiring.js';
