export { LINKS, mongoLinkStore } from './model.js';
export { type LinksOfEvent, linksOfEvent } from './read-links.js';
export { forgetEventLinks, linksArea } from './wiring.js';
